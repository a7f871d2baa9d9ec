"""A judge that asks a language model: for any server that speaks the OpenAI chat protocol.

    export JUDGE_URL=http://localhost:11434/v1 JUDGE_MODEL=llama3.1 JUDGE_KEY=...
    duelbench live prompts.yaml --exec "python openai_compatible.py" -j 4 --budget 200
    python openai_compatible.py --usage

JUDGE_URL is the address up to ``/v1``; JUDGE_KEY may be left out where the server wants none. More variables:

- JUDGE_TEMPLATE: a file with a prompt of your own; it has {rubric}, {first} and {second} where these go.
- JUDGE_RUBRIC: what makes an answer better; default "Prefer the one that is more helpful, correct and clear."
- JUDGE_TIMEOUT, JUDGE_TRIES: seconds per request (60), and how often it tries (4), after 1, 2, 4 ... seconds.
- JUDGE_ORDERS=both: ask in both orders; where the model prefers a side and not a text, the answer is tie.
- JUDGE_USAGE: where the tokens of each answer are counted (judge-usage.jsonl).
- JUDGE_PRICES: dollars per million tokens in and out, as in 0.15,0.60.

It prints 1, 2 or tie: the last word of the answer, if no other of the three is in it; thoughts in <think> do not count.
Anything else is asked again, and after the last try it ends with exit code 1.
"""

import http.client
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request

TEMPLATE = """Which of two texts is better? {rubric}

<first>
{first}
</first>

<second>
{second}
</second>

Judge the texts, not their order or length. Answer with one word: 1, 2 or tie."""
RUBRIC = "Prefer the one that is more helpful, correct and clear."
USAGE = os.environ.get("JUDGE_USAGE", "judge-usage.jsonl")
FATAL = (400, 401, 403, 404)  # asking again does not help


def text_of(arm):
    """What the model reads: the file where there is one, else the text, else the name."""
    if arm["path"]:
        with open(arm["path"], encoding="utf-8") as file:
            return file.read()
    return arm["text"] or arm["name"]


def prompt(question):
    """The template, filled; braces in the texts stay as they are."""
    template = TEMPLATE
    if "JUDGE_TEMPLATE" in os.environ:
        with open(os.environ["JUDGE_TEMPLATE"], encoding="utf-8") as file:
            template = file.read()
    rest = template.replace("{rubric}", os.environ.get("JUDGE_RUBRIC", RUBRIC))
    before, _, rest = rest.partition("{first}")
    between, _, after = rest.partition("{second}")
    return before + text_of(question["first"]) + between + text_of(question["second"]) + after


def ask(content):
    """One request: the model's words, and the tokens that it took."""
    body = {"model": os.environ["JUDGE_MODEL"], "temperature": 0, "messages": [{"role": "user", "content": content}]}
    headers = {"Content-Type": "application/json"}
    if os.environ.get("JUDGE_KEY"):
        headers["Authorization"] = f"Bearer {os.environ['JUDGE_KEY']}"
    address = f"{os.environ['JUDGE_URL'].rstrip('/')}/chat/completions"
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=float(os.environ.get("JUDGE_TIMEOUT", "60"))) as answer:
        found = json.load(answer)
    usage = found.get("usage") or {}
    return found["choices"][0]["message"]["content"], usage


def verdict(words):
    """1, 2 or tie, where that is the last word of an answer and the others are not in it; None otherwise."""
    answer = words.rpartition("</think>")[2].lower()
    bare = [word.strip(".,;!?()[]\"'") for word in re.sub(r"[*_`:]", " ", answer).split()]
    given = [word for word in bare if word]
    known = {"1", "2", "tie"} & {*given}
    return given[-1] if "<think>" not in answer and len(known) == 1 and given[-1] in known else None


def body_of(error):
    """What a server says of an error, in one line."""
    try:
        return " ".join(error.read().decode(errors="replace").split())[:200]
    except (OSError, http.client.HTTPException):
        return ""


def count(usage):
    """Note the tokens of an answer, also of one that cannot be used: they are paid for."""
    line = {name: usage.get(name, 0) for name in ("prompt_tokens", "completion_tokens")}
    with open(USAGE, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def judge(question):
    """1, 2 or tie; None where no try led to one of them."""
    answer = decide(prompt(question))
    if answer is None or os.environ.get("JUDGE_ORDERS") != "both":
        return answer
    turned = decide(prompt({"first": question["second"], "second": question["first"]}))
    expected = {"1": "2", "2": "1", "tie": "tie"}[answer]
    return None if turned is None else answer if turned == expected else "tie"


def decide(content):
    """What the model answers to a prompt; None where no try led to an answer."""
    tries = int(os.environ.get("JUDGE_TRIES", "4"))
    for k in range(tries):
        try:
            words, usage = ask(content)
            count(usage)
            word = verdict(words)
            if word is not None:
                return word
            trouble = f"the model answered {words[-80:]!r}"
        except urllib.error.HTTPError as error:
            trouble = f"the server answered {error.code} {error.reason} {body_of(error)}".rstrip()
            if error.code in FATAL:
                tries = 0
        except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, AttributeError) as error:
            trouble = f"{type(error).__name__}: {error}"
        print(f"judge: {trouble}", file=sys.stderr)
        if k + 1 >= tries:
            return None
        time.sleep(2**k)
    return None


def total():
    """Answers, tokens, and what they cost."""
    if not os.path.exists(USAGE):
        return "0 answers"
    with open(USAGE, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    sums = [sum(line[name] for line in lines) for name in ("prompt_tokens", "completion_tokens")]
    prices = os.environ.get("JUDGE_PRICES", "0,0")
    try:
        price_in, price_out = map(float, prices.split(","))
    except ValueError:
        sys.exit(f"judge: JUDGE_PRICES is {prices!r}; write dollars per million tokens in and out, as in 0.15,0.60")
    dollars = (sums[0] * price_in + sums[1] * price_out) / 1e6
    return f"{len(lines)} answers, {sums[0]} tokens in, {sums[1]} out, ${dollars:.2f}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--usage"]:
        print(total())
    elif len(sys.argv) < 3:
        print(__doc__)
    elif missing := [name for name in ("JUDGE_URL", "JUDGE_MODEL") if name not in os.environ]:
        sys.exit(f"judge: set the variable {' and '.join(missing)}")
    else:
        answer = judge(json.load(sys.stdin))
        if answer is None:
            sys.exit(1)
        print(answer)
