"""`python -m metaroce.apps.cli`: the command `roce` where the script is not on the path."""

from metaroce.apps.cli.main import run

if __name__ == "__main__":
    run()
