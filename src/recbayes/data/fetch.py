"""Data that are not ours to give away: fetched from where they are published, checked, and kept in a folder."""

import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from recbayes.checks.arguments import flag, listed, path_of, text
from recbayes.checks.arrays import short, whole_number
from recbayes.errors import DataError, FileError

COMMIT = "0b4f4d84b90b254615e7ac09730ec473c9611cb6"
PUBLISHED = f"https://raw.githubusercontent.com/humdrum-tools/bach-wtc/{COMMIT}/kern/"
RIGHTS = (
    "Most of these files state: Copyright (c) 1994, 2000 Center for Computer Assisted Research in the Humanities, rights to "
    "all derivative editions reserved. None states a licence. They are for study, not for redistribution."
)
SECOND_BOOK = 870  # BWV numbers: 24 preludes and fugues before, 24 from there on
CHECKSUMS = {  # SHA-256, by BWV number
    846: "7798ce2c4a9be03499edf2aaa61d59767428d3a14687c8019ba07ef3e4e5a5a7",
    847: "be4e9e6f9f24821dfc18a5e6b31d1504a96b4d2ad36a104b5af645a2c8b5b86f",
    848: "d2550196c385a646fd6474bdada954efe676106e4057060c4a599cfe8cdf51b1",
    849: "a26a0eac2ca13aa223b714428f4008a9802e94f5e7cdba8cd3e065cbac6e5a7d",
    850: "7367da9aea147f37dd1efb7745f1be1dd13baf84fec6cee52bfb46ef0ac01c47",
    851: "d6289e30008838061387c8d78d328d5e57920be7e33fa2a53bdc8b91d10409ae",
    852: "c988704b26466897495996af4fbc2cf41f5462761677a1416ac0de5612363bf4",
    853: "b4b179cd6eee462d358265df041a1bf91d779d328d2dc2154e4b3ad55690b690",
    854: "f0485f80bd8c9f8d672085fc74a9b1c596635c44e7391fb6c2c9fa3b554aefc2",
    855: "5c168a6c4f851af5176b4ca6404ec95ebac24916b98f975e7fe9a0addf8e19bc",
    856: "78779ac3befce7c9a85fdbd7727f41b30374a03f70848d3a5cf6ad4a75dfa25d",
    857: "23a6d661398f3b66990edc0c3d86f60e20d5d2009017cccb11be3fbed2143ae3",
    858: "3bed05308ebca5c2af10cfde3d02a1505c132f8fc0e320282b8453b416d400b0",
    859: "a3bc00abbfdea88015ff5cbbc6fa7ff35fb04bacd0dc44b76b5d140ba74556eb",
    860: "572ee2beeabfdb6cf393388da9c9df2e6b495ff23352c072d6a79a6f857b8bf1",
    861: "3e8750dc54cc34a3919c67f378006676e3292cdf2ce87810bceb8caa96838eeb",
    862: "a264b1efb0489b2a1dafa7f3e67ca4cfb8dd9466c9c13cfa9232720711cf0813",
    863: "2bd6c52ec6ea35280e363b2ca55b9864b9198bd50e6e93223e7c0b7d00639339",
    864: "b7a7aa5b1eb44aaf5b3a6367e3b3ffe224bc28037b2e55ee5dc0a4dfd9878597",
    865: "3562bf4b0af5ddf8638312c4fade46649b93880f054e6af8f4a2144a14572d83",
    866: "12a7b7fb6746b3e56d79f9c24096b2b517f6b3b8cbc05696101c9a06ceec91d1",
    867: "1a0f90eadd45222505c7175486cc71e44258c54d27f7ceee9d66b449d180ee0d",
    868: "f395aa940090f9a2c54af85b8c908444fbe06da8f8de216dd8b0d2eeda597c77",
    869: "88fd146bd5adbd2c577dda9530f86ea7d906370a4f20281ba828ba10ee74ef23",
    870: "05811a7b62714e0cb41153e1eb95c8bf6fce954eb31bb2db856785f4b98ea13a",
    871: "63dda9b4adb693fdf6387a63b67ce471a887d8616c5b694523365f9888b9a2ee",
    872: "335acc735d8b4635eba3b8f52bf9ed7d55129ea672e997e6fb777303a6563f05",
    873: "10d043c39ea1ce4fe593972b6b418f00667c3cca5f2cb35f4bcc4d9e916fe4e4",
    874: "4083e7d6c33851949346fe2a81ce91c590009eb4a4da8b220b09426d1a01d745",
    875: "4338a1fa5290252b2e2833f6c7a5d71a823ab91c74607177c7a27ac57b2cf5ee",
    876: "3632a8a23ec3287a9c79e6c6ebc9b4b0593300b9c7180f550f5bf5d7305177e4",
    877: "06db82440bf5c6b2e49f890ad4ebe811982f96b72aaca59a7d11f4305a9460f6",
    878: "adde479a45e62495559788225dc0a10f8efbe97dcdcbfab477f482f4fa67ae1f",
    879: "0e988282562687beaffef33ac151f817a2b157de37889505245f239d825c5d14",
    880: "d682c7370bede395862214e91acf3ddda2c5ea3f5aeb32c6a8cc47a6f57230a3",
    881: "78b2f153a478953a4aecba1da35e2fdb2cbcf5039e4e55373c678249a0e8b708",
    882: "e76a47ace21efcce305eb34015c9ac24edef04b2c09015774a8e2bb9afa3d1f8",
    883: "d94caeb5469ae3fa006a2a5845fe9a01b9da5d85d16dcaa4cee04833b768e1bc",
    884: "fa41f47951092d4ee18e5877a19a5abc6ef2ede2445d7dc43033d0af4af74510",
    885: "b57fca85a9797da8c4d0fafa3c9f354ee68baa521db6b7c4fa29d26372511a8e",
    886: "2e96bdd2a1de5a44e2c63a3514fb854f98fd48dd9d9c3f7c60120ae2dd4c99d3",
    887: "4a8a777ad441837b59ec1f2d5084ccd01dc1ad90eae39e95c4a8837da0960d5c",
    888: "447f79d41e6e9a6c68ff6b049cc11208fdb4c846a0f27d20f9e42ec791ebad45",
    889: "8baffdcad45a17aa8d8153b08f0123ad49b44e8537cf0a2d0a4399bf21047106",
    890: "32bbbcf837cf589c8872aef5f17bece2ee7aa5fb743cc34a425796ef4e1b99e1",
    891: "9df2af721ae191b708db1f79ac63b7e6df05aeb42155eeab0aece99ba831a85c",
    892: "1dafc3b1895c8282348fa3cfb587612d8fceb41db10ffe08831616a8b224b386",
    893: "8477f543c2588b18d6df5060ae5f7499a9b30e43028a63c931e1f8e9310853ae",
}


def fetch_wtc(
    folder: str | os.PathLike | None = None,
    *,
    works: Iterable[int] | None = None,
    base_url: str | None = None,
    progress: bool = False,
) -> dict[int, Path]:
    """The 48 preludes of Bach's Well-Tempered Clavier as kern files: where each of them is, by its BWV number, 846 to 893.

    They come from github.com/humdrum-tools/bach-wtc; what is there already is not fetched again. The files are for study:
    they carry a copyright, and no licence to give them on.

    Arguments:
        folder: where they stay. None takes one of the user's cache.
        works: some of the numbers. None: all.
        base_url: another place that has them. None: as above.
        progress: whether to show how far it is.
    """
    pooch = _pooch()
    place = pooch.os_cache("recbayes") / "wtc" if folder is None else path_of(folder, "folder")
    source = PUBLISHED if base_url is None else text(base_url, "base_url")
    if not source.startswith(("http://", "https://")):
        raise DataError(f"base_url must begin with http:// or https://, got {short(source)}")
    numbers = list(CHECKSUMS) if works is None else [_work(one) for one in listed(works, "works", "BWV numbers")]
    found = {}
    with _quiet(pooch.get_logger()), _shown(numbers, flag(progress, "progress")) as shown:
        for number in shown:
            name = f"wtc{1 + (number >= SECOND_BOOK)}p{(number - min(CHECKSUMS)) % 24 + 1:02}.krn"
            found[number] = _fetched(pooch, f"{source.rstrip('/')}/{name}", place / f"bwv{number}.krn", CHECKSUMS[number])
    return found


def _pooch() -> Any:
    try:
        return import_module("pooch")
    except ImportError as problem:
        raise FileError(f"fetching needs pooch: pip install 'recbayes[music]' ({problem})") from None


def _work(number: object) -> int:
    return whole_number(number, "works", least=min(CHECKSUMS), most=max(CHECKSUMS), error=DataError)


def _fetched(pooch: Any, url: str, path: Path, checksum: str) -> Path:
    """One file, which is there afterwards as it was published, or not at all."""
    from requests.exceptions import HTTPError, RequestException

    try:
        if path.exists() and pooch.file_hash(str(path)) != checksum:
            raise FileError(f"{path} is there, and is not the file that would be fetched; move it, or take another folder")
        return Path(pooch.retrieve(url, checksum, path.name, path.parent))
    except FileError:
        raise
    except HTTPError as problem:
        answer = "an error" if problem.response is None else problem.response.status_code
        raise FileError(f"{url} cannot be fetched: the server answers {answer}") from None
    except RequestException as problem:
        raise FileError(f"{url} cannot be reached ({type(problem).__name__}); are you online?") from None
    except ValueError:
        raise FileError(f"{url} is not the file that it was (its checksum differs), and was not kept") from None
    except OSError as problem:
        raise FileError(f"{path} cannot be written: {problem.strerror or problem}") from None


@contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Without a line for every file."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _shown(numbers: list[int], progress: bool) -> Iterator[Iterable[int]]:
    """The numbers, with a bar on standard error as they are gone through."""
    if not progress:
        yield numbers
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        yield bar.track(numbers, description="fetching")
