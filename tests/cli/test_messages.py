"""The exact words that a confused person sees."""

import pytest

LAPLACE = "mechanism laplace"
MESSAGES = {
    f"{LAPLACE} --range 1 5": "--epsilon is required, for example --epsilon 1",
    f"{LAPLACE} --epsilon 1": (
        "give the possible answers in exactly one way: --range LOW HIGH, --numbers 0,1,2.5 or "
        "--labels a,b,c"
    ),
    f"{LAPLACE} --range 5 1 --epsilon 1": (
        "the range is reversed: '5' is above '1'; write the lower end first"
    ),
    f"{LAPLACE} --range 1 5 --epsilon -1": "--epsilon must be positive, got '-1'",
    f"{LAPLACE} --range 1 5 --epsilon abc": (
        "--epsilon must be a number like 0.5 or 1/3, got 'abc'"
    ),
    f"{LAPLACE} --range 1 5 --epsilon 1000": (
        "--epsilon must be at most 100 (usual values lie between 0.1 and 3), got '1000'"
    ),
    f"{LAPLACE} --range 1 5 --epsilon 1 --step 3": (
        "'1' to '5' is not a whole number of steps of '3'"
    ),
    f"{LAPLACE} --range 0 5000 --epsilon 1": (
        "5,001 outputs by 5,001 answers is more than 4,000,000 cells; use a larger --step"
    ),
    f"{LAPLACE} --range 1 5 --epsilon 1 --neighbours some": (
        "--neighbours must be all or a number of steps, got 'some'"
    ),
    f"{LAPLACE} --range 1 5 --epsilon 1 --outputs wide": (
        "--outputs must be same, scaled:2 (wider categories) or extended:300 (percent), got 'wide'"
    ),
    f"{LAPLACE} --range 1 5 --epsilon 1 --draw 9": "'9' is not one of the numbers from 1 to 5",
    f"{LAPLACE} --range 1 5 --epsilon 1 --draw 1 --times 0": (
        "--times must be a whole number from 1 to 1,000,000, got '0'"
    ),
    f"{LAPLACE} --range 1 5 --epsilon 1 --set gamma=1": (
        "laplace has no parameter 'gamma'; it has none"
    ),
    f"{LAPLACE} --range 1 5 --epsilon 1 --set gamma": (
        "--set must be NAME=VALUE, for example gamma=0.3, got 'gamma'"
    ),
    f"{LAPLACE} --range 1 5 --epsilon 1 --plot m.gif": (
        "a picture can be saved as .png, .svg or .pdf, got 'm.gif'"
    ),
    f"{LAPLACE} --labels a,b --epsilon 1": "the Laplace mechanism needs numbers, got 2 labels",
    "mechanism lapalce --range 1 5 --epsilon 1": (
        "'lapalce' is not a family of mechanisms; did you mean laplace?"
    ),
    "mechanism zzz --range 1 5 --epsilon 1": (
        "'zzz' is not a family of mechanisms; `discreet mechanisms` lists them"
    ),
    "mechanism uniform --labels a,b --neighbours 1 --epsilon 1": (
        "labels have no order; use --neighbours all"
    ),
    "compare smooth-sensitivity --range 1 3 --epsilon 1": (
        "the columns of smooth-sensitivity are databases, not answers; save it, and measure the "
        "file on its own"
    ),
    "compare coins.json laplace --range 1 3 --epsilon 2": (
        "'coins.json' has other answers or neighbours; only mechanisms on the same space can be "
        "compared"
    ),
    "certify response.json": "--epsilon is required, for example --epsilon 1",
    "ask missing.toml x --epsilon 1": (
        "there is no file 'missing.toml'; give a dataset file, such as the draft that init makes "
        "of a table"
    ),
    "check .": "'.' is a folder; give the dataset file in it",
    "certify missing.json --epsilon 1": "cannot read 'missing.json': No such file or directory",
    "measure response.json --prior 0.5,0.5": "the prior has 2 numbers, but the space has 3 answers",
    "measure response.json --prior nowhere": (
        "cannot read the prior 'nowhere': No such file or directory; --prior must be uniform, a "
        "file of numbers, or numbers such as 0.2,0.8"
    ),
    "draw response.json -1 --epsilon 2": "'-1' is not one of the numbers from 1 to 3",
    "draw response.json": "Missing argument 'ANSWER'; see discreet draw --help",
    "ledger": (
        "a command is required after discreet ledger: show, verify, export, budget, acknowledge, "
        "prepare, move; "
        "see discreet ledger --help"
    ),
    "token": (
        "a command is required after discreet token: create, list, revoke, move; "
        "see discreet token --help"
    ),
    "ask visits.csv question --epsilon 1": (
        "'visits.csv' is a table; give the dataset file that describes it, such as 'visits.toml'"
    ),
    "nonsense": "No such command 'nonsense'; see discreet --help",
}


@pytest.mark.parametrize(("line", "message"), MESSAGES.items(), ids=MESSAGES.keys())
def test_the_message(run, folder, line, message):
    done = run(*line.split())
    assert done.stderr == f"error: {message}\n"
    assert done.exit_code == 2


def test_a_message_stays_on_one_bearable_line(run):
    done = run("mechanism", "a\nb\x1b" + "c" * 9_000, "--range", "1", "5", "--epsilon", "1")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 700
    assert "\x1b" not in done.stderr
