# One target per figure of the papers: configs/<paper>/<figure>.yaml, run and drawn. `make help` shows this list; its times
# are processor seconds measured on one core, halved for two, compiling once for all not counted (docs/figures/README.md).
#
#   make fig-wu2016-4c                     the paper's size
#   make fig-wu2016-4c SCALE=quick         seconds
#   make fig-wu2016-4c PLOT="--set y_scale=log"   drawn with other options of `duelbench plot`

SCALE ?= paper
PLOT ?=
SCALED := $(if $(filter-out paper,$(SCALE)),--scale $(SCALE))

fig-wu2016-1a:  ## Wu & Liu 2016, Figure 1(a): five rankers of the MSLR data with a Condorcet winner; 500 runs to 1e6; about 35 s
fig-wu2016-1b:  ## Wu & Liu 2016, Figure 1(b): five rankers of the MSLR data without a Condorcet winner; 500 runs to 1e6; about 4 min
fig-wu2016-2:  ## Wu & Liu 2016, Figure 2: spread of regret at the horizon, MSLR with K = 5; 500 runs to 1e6; about 100 s
fig-wu2016-3a:  ## Wu & Liu 2016, Figure 3(a): Cyclic, K = 4, with a Condorcet winner; 500 runs to 1e6; about 30 s
fig-wu2016-3b:  ## Wu & Liu 2016, Figure 3(b): StrongBorda, K = 5: the Condorcet winner is not the Borda winner; 500 runs to 1e6; about 30 s
fig-wu2016-3c:  ## Wu & Liu 2016, Figure 3(c): ArXiv, K = 6, with a Condorcet winner; 500 runs to 1e6; about 35 s
fig-wu2016-3d:  ## Wu & Liu 2016, Figure 3(d): 16 sorts of sushi, with a Condorcet winner; 100 runs to 1e6; 15 s
fig-wu2016-3e:  ## Wu & Liu 2016, Figure 3(e): 16 rankers of the MSLR data (Table 9) with a Condorcet winner; 100 runs to 1e6; about 20 s
fig-wu2016-3f:  ## Wu & Liu 2016, Figure 3(f): 32 rankers of the MSLR data (Table 9) with a Condorcet winner; 100 runs to 1e6; about 35 s
fig-wu2016-4a:  ## Wu & Liu 2016, Figure 4(a): Cyclic without a Condorcet winner, K = 9: three equivalent winners; 500 runs to 1e6; about 7 min
fig-wu2016-4b:  ## Wu & Liu 2016, Figure 4(b): StrongBorda without a Condorcet winner, K = 6; 500 runs to 1e6; about 80 s
fig-wu2016-4c:  ## Wu & Liu 2016, Figure 4(c): Gap, K = 5, with arms shuffled and in a fixed order; 500 runs to 1e6; about 80 s
fig-wu2016-4d:  ## Wu & Liu 2016, Figure 4(d): 500 arms, three Copeland winners; 10 runs to 1e7, two probabilities; about 20 min
fig-wu2016-4e:  ## Wu & Liu 2016, Figure 4(e): 16 rankers of the MSLR data (Table 9) without a Condorcet winner; 100 runs to 1e7; about 22 min
fig-wu2016-4f:  ## Wu & Liu 2016, Figure 4(f): 32 rankers of the MSLR data (Table 9) without a Condorcet winner; 40 runs to 1e7; about 17 min
fig-wu2016-5a:  ## Wu & Liu 2016, Figure 5(a): self-duels of the Copeland winners, Cyclic without a Condorcet winner; one run to 1e6; 2 s
fig-wu2016-5b:  ## Wu & Liu 2016, Figure 5(b): self-duels of the Copeland winners, 16 rankers of the MSLR data without a Condorcet winner; one run to 1e6; 2 s
fig-wu2016-6a:  ## Wu & Liu 2016, Figure 6(a): regret against the batch of feedback, five rankers of the MSLR data with a Condorcet winner; 500 runs to 1e6 for 6 batches; about 10 s
fig-wu2016-6b:  ## Wu & Liu 2016, Figure 6(b): regret against the batch of feedback, Cyclic without a Condorcet winner, K = 9; 500 runs to 1e6 for 6 batches; about 24 min
fig-wu2016-7a:  ## Wu & Liu 2016, Figure 7(a): D-TS against pure D-TS, StrongBorda, K = 5; 500 runs to 1e6; 2 s
fig-wu2016-7b:  ## Wu & Liu 2016, Figure 7(b): D-TS against pure D-TS, Cyclic without a Condorcet winner, K = 9; 500 runs to 1e6; about 2 min
fig-wu2016-7c:  ## Wu & Liu 2016, Figure 7(c): D-TS against pure D-TS, five rankers of the MSLR data with a Condorcet winner; 500 runs to 1e6; 2 s
fig-wu2016-7d:  ## Wu & Liu 2016, Figure 7(d): D-TS against pure D-TS, five rankers of the MSLR data without a Condorcet winner; 500 runs to 1e6; about 50 s
fig-komiyama2016-1a:  ## Komiyama et al. 2016, Figure 1(a): 16 of the 136 MSLR rankers, with a Condorcet winner, gaps of 0.005 or more; 100 runs to 1e6; 15 s
fig-komiyama2016-1b:  ## Komiyama et al. 2016, Figure 1(b): 16 of the 136 MSLR rankers, without a Condorcet winner, gaps of 0.005 or more; 100 runs to 1e7; about 4 min
fig-komiyama2016-1c:  ## Komiyama et al. 2016, Figure 1(c): 64 of the 136 MSLR rankers, without a Condorcet winner, gaps of 0.0005 or more; 20 runs to 1e7; about 40 s
fig-komiyama2016-1d:  ## Komiyama et al. 2016, Figure 1(d): 16 sorts of sushi, with a Condorcet winner; 100 runs to 1e6; under 10 s
fig-komiyama2016-1e:  ## Komiyama et al. 2016, Figure 1(e): Gap, K = 5, with arms shuffled and in a fixed order; 100 runs to 1e6; 10 s
fig-komiyama2016-1f:  ## Komiyama et al. 2016, Figure 1(f): MultiSol, K = 5: the optimal solution of ECW-RMED is not unique; 100 runs to 1e6; 10 s
fig-komiyama2016-2a:  ## Komiyama et al. 2016, Figure 2(a): ArXiv, K = 6; 100 runs to 1e6; under 10 s
fig-komiyama2016-2b:  ## Komiyama et al. 2016, Figure 2(b): Cyclic, K = 4; 100 runs to 1e6; under 10 s
fig-komiyama2016-2c:  ## Komiyama et al. 2016, Figure 2(c): five rankers of the MSLR data, with a Condorcet winner; 100 runs to 1e6; under 10 s
fig-komiyama2016-2d:  ## Komiyama et al. 2016, Figure 2(d): five rankers of the MSLR data, without a Condorcet winner; 100 runs to 1e6; 15 s
fig-zoghi2015-1:  ## Zoghi et al. 2015, Figure 1: five MSLR rankers without a Condorcet winner; 20 runs to 1e8; about 2 min
fig-zoghi2015-500:  ## Zoghi et al. 2015: 500 arms, three Copeland winners, four kinds of probabilities; 10 runs to 1e8; about 5 min
fig-agrawal2019-a:  ## Agrawal & Chaporkar 2019, Figure (a): 25 random games of 3 to 36 arms; 25 runs on each to 1e5; about 30 s
fig-agrawal2019-b:  ## Agrawal & Chaporkar 2019, Figure (b): regret against K, 9 x 100 random games; 25 runs on each to 1e5; about 13 min

fig-urvoy2013-3:  ## Urvoy et al. 2013, Figure 3: a rigged bandit of 100 arms; 1000 runs to 2e6; about 5 min
fig-urvoy2013-4:  ## Urvoy et al. 2013, Figure 4: the hard Condorcet matrix, K = 30, its index read both ways; 500 runs to 2e6; about 3 min
fig-urvoy2013-5:  ## Urvoy et al. 2013, Figure 5: the hard Condorcet matrix, K = 400; 20 runs to 1e8; about 4 min
fig-urvoy2013-6:  ## Urvoy et al. 2013, Figure 6: 100 random matrices, K = 30; 5 runs on each to 2e6; about 2 min
fig-urvoy2013-8:  ## Urvoy et al. 2013, Figure 8: the best of 100 arms; 1000 runs to 2e6; about 3 min
fig-urvoy2013-9:  ## Urvoy et al. 2013, Figure 9: how many of 100 means lie between 0.4 and 0.6; 1000 runs to 2e6; under a minute
fig-urvoy2013-10:  ## Urvoy et al. 2013, Figure 10: 100 random matrices, K = 50; 5 runs on each to 2e6; about 7 min
fig-urvoy2013-11:  ## Urvoy et al. 2013, Figure 11: a flat matrix, K = 100; 100 runs to 1e7; about 1 min

FIGURES := fig-wu2016-1a \
  fig-wu2016-1b \
  fig-wu2016-2 \
  fig-wu2016-3a \
  fig-wu2016-3b \
  fig-wu2016-3c \
  fig-wu2016-3d \
  fig-wu2016-3e \
  fig-wu2016-3f \
  fig-wu2016-4a \
  fig-wu2016-4b \
  fig-wu2016-4c \
  fig-wu2016-4d \
  fig-wu2016-4e \
  fig-wu2016-4f \
  fig-wu2016-5a \
  fig-wu2016-5b \
  fig-wu2016-6a \
  fig-wu2016-6b \
  fig-wu2016-7a \
  fig-wu2016-7b \
  fig-wu2016-7c \
  fig-wu2016-7d \
  fig-komiyama2016-1a \
  fig-komiyama2016-1b \
  fig-komiyama2016-1c \
  fig-komiyama2016-1d \
  fig-komiyama2016-1e \
  fig-komiyama2016-1f \
  fig-komiyama2016-2a \
  fig-komiyama2016-2b \
  fig-komiyama2016-2c \
  fig-komiyama2016-2d \
  fig-zoghi2015-1 \
  fig-zoghi2015-500 \
  fig-agrawal2019-a \
  fig-agrawal2019-b

# Pure exploration: three panels.
EXPLORATION := fig-urvoy2013-3 \
  fig-urvoy2013-4 \
  fig-urvoy2013-5 \
  fig-urvoy2013-6 \
  fig-urvoy2013-8 \
  fig-urvoy2013-9 \
  fig-urvoy2013-10 \
  fig-urvoy2013-11

OTHERS := fig-zoghi2015-c fig-urvoy2013-12 table-wu2016-9 table-komiyama2016-1 table-komiyama2016-4

.PHONY: figures page-numbers $(FIGURES) $(EXPLORATION) $(OTHERS)

figures: $(FIGURES) $(EXPLORATION) $(OTHERS)  ## draw every figure of the papers (SCALE=quick: minutes; SCALE=paper: hours)

page-numbers: $(VENV)/installed-for-tests  ## fill the tables of docs/figures with the numbers of the figures in results/
	$(BIN)/python docs/studies/page_tables.py

# How much there is to do, in one line; where data are missing, what is missing in one line, and no more.
define announce
	@plan=$$($(DUELBENCH) run $(1) $(SCALED) --dry-run 2>&1) || \
	  { echo "$$plan" | grep -v '; nothing was run.$$' >&2; exit 1; }; \
	echo "$$plan" | tail -n 1 | sed 's/ Nothing was written.//'
endef

$(FIGURES): fig-%: $(VENV)/installed
	$(call announce,configs/$(subst -,/,$*).yaml)
	$(DUELBENCH) run configs/$(subst -,/,$*).yaml $(SCALED)
	$(DUELBENCH) plot $(PLOT) results/$*$(if $(SCALED),-$(SCALE))

# Where the paper cuts the panels of regret off, so do we.
YMAX_3 := 4e3
YMAX_4 := 2e5
YMAX_6 := 2e5
cut = $(if $(SCALED),,$(if $(YMAX_$(1)),--set y=[0,$(YMAX_$(1))]))

$(EXPLORATION): fig-urvoy2013-%: $(VENV)/installed
	@$(DUELBENCH) run configs/urvoy2013/$*.yaml $(SCALED) --dry-run | tail -n 1 | sed 's/ Nothing was written.//'
	$(DUELBENCH) run configs/urvoy2013/$*.yaml $(SCALED)
	$(DUELBENCH) plot --kind exploration --set x=[100,] $(call cut,$*) $(PLOT) \
	  results/urvoy2013-$*$(if $(SCALED),-$(SCALE))

# Not an experiment: a map of decisions.
URVOY_12 := urvoy2013-12$(if $(SCALED),-$(SCALE))

fig-urvoy2013-12: $(VENV)/installed  ## Urvoy et al. 2013, Figure 12: which of three arms wins by Borda and by Copeland, where the p sum to 1; seconds
	$(BIN)/python docs/studies/winner_slice.py results/$(URVOY_12)/$(URVOY_12).png $(if $(SCALED),24)

# Not an experiment: winners of random sets of rankers.
WINNERS_PAPER := 200 3,4,6,8,12,16,24,32,48,64,96,128
WINNERS_QUICK := 20 3,6,12
ZOGHI_C := zoghi2015-c$(if $(SCALED),-$(SCALE))

fig-zoghi2015-c: $(VENV)/installed  ## Zoghi et al. 2015, Appendix C: winners of random sets of MSLR rankers; 200 sets of each size; about 3 min
	$(BIN)/python docs/studies/winners_of_parts.py results/$(ZOGHI_C)/$(ZOGHI_C).png \
	  $(if $(SCALED),$(WINNERS_QUICK),$(WINNERS_PAPER)) mslr-informational mslr-navigational mslr-perfect

MSLR_SETS := mslr16-condorcet mslr32-condorcet mslr16-noncondorcet mslr32-noncondorcet

table-wu2016-9: $(VENV)/installed  ## Wu & Liu 2016, Table 9: the chosen MSLR rankers with their Copeland scores; seconds
	@mkdir -p results/wu2016-table-9
	@for set in $(MSLR_SETS); do \
	  $(DUELBENCH) matrix import mslr-informational --arms $$set --force -o results/wu2016-table-9/$$set.csv && \
	  $(DUELBENCH) show results/wu2016-table-9/$$set.csv || exit; \
	done

table-komiyama2016-1: $(VENV)/installed  ## Komiyama et al. 2016, Table 1: constants of the bounds of CCB and ECW-RMED on MSLR rankers; seconds
	@mkdir -p results/komiyama2016-table-1
	@for K in 5 16 32; do for winner in condorcet noncondorcet; do \
	  matrix=matrices/mslr$$K-$$winner.csv; \
	  if [ $$K != 5 ]; then \
	    matrix=results/komiyama2016-table-1/mslr$$K-$$winner.csv; \
	    $(DUELBENCH) matrix import mslr-informational --arms mslr$$K-$$winner --force -o $$matrix || exit; \
	  fi; \
	  $(DUELBENCH) show --bounds $$matrix || exit; \
	done; done

table-komiyama2016-4: $(VENV)/installed  ## Komiyama et al. 2016, Table 4: constants of the bounds of CW-RMED, ECW-RMED and CCB on Cyclic; seconds
	$(DUELBENCH) show --bounds matrices/cyclic.csv

# The page on worlds that change: each world is a scale of one spec.
WORLDS := short same-winner flip4 flip4-short flip20 drift drift-short \
  flips-100 flips-300 flips-1000 flips-3000 flips-300-long two-0 two-50 two-119 two-240
CHANGING := configs/changing-worlds.yaml

.PHONY: changing-worlds

changing-worlds: $(VENV)/installed-for-tests  ## docs/studies/changing-worlds.md: 34 algorithms in worlds that change; 100 runs to 1e6; about 15 min
	@for scale in $(if $(SCALED),$(SCALE),"" $(WORLDS)); do \
	  $(DUELBENCH) run $(CHANGING) $${scale:+--scale $$scale} || exit; \
	done
	$(if $(SCALED),,$(BIN)/python docs/studies/changing_worlds.py)
