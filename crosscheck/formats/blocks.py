"""Fast reader of run and qrels files: it reads blocks of about a megabyte and parses whole columns at a time.

The steps for a block: find every byte whose code is at most that of a space (:func:`_columns` checks that
these bytes are exactly the separators of well-formed lines), gather the ids eight bytes at a time, compute
scores and integers from eight digits at once, and record where the topic changes. If a block has other
separators (repeated blanks, CRLF), they are first replaced by single ones. A block that still does not fit
(blank lines, further columns, very long ids) is read by the plain parser,
:mod:`crosscheck.formats.reference_reader`. Numbers that the vectorised arithmetic cannot compute are read one
by one by :mod:`crosscheck.formats.numerals`. In every case results and errors equal those of the plain
parser, bit for bit.
"""

from collections.abc import Callable, Iterator
from functools import partial
from io import BufferedIOBase

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from crosscheck.formats import reference_reader
from crosscheck.formats.grouping import LONGEST_FIXED_ID, Block, WordArray
from crosscheck.formats.numerals import INT64, atofs, atol, whole_number
from crosscheck.formats.reference_reader import RUN_LINES, Layout, Rules
from crosscheck.formats.source import LONGEST_LINE, endless_line
from crosscheck.model import BoolArray, FloatArray, IdArray, IntArray

PADDING = LONGEST_FIXED_ID + 64

_ALL = (1 << 64) - 1
#: Masks of the first and of the last 0 to 8 bytes of a word.
_FIRST = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
_LAST = np.array([_ALL ^ (_ALL >> 8 * count) for count in range(9)], np.uint64)


def _each_byte(value: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([value] * 8)))


def load(words: WordArray, positions: IntArray) -> WordArray:
    """The eight bytes that start at each position, as one 64-bit word per position."""
    # Two aligned reads and shifts are twice as fast as one unaligned gather. A shift by 64 gives 0.
    index = positions >> 3
    shift = (positions & 7).view(np.uint64)
    shift <<= 3
    result = words.take(index)
    result >>= shift
    index += 1
    rest = words.take(index)
    np.subtract(64, shift, out=shift)
    rest <<= shift
    result |= rest
    return result


def _padded(words: WordArray, starts: IntArray, lengths: IntArray, word: int) -> WordArray:
    """Bytes ``8 * word`` to ``8 * word + 7`` of each field; bytes after the end of the field are zero."""
    result = load(words, starts + 8 * word if word else starts)
    left = _bytes_in(lengths, word)
    if left.min() < 8:
        result &= _FIRST.take(left)
    return result


def _bytes_in(lengths: IntArray, word: int) -> IntArray:
    """How many of the bytes ``8 * word`` to ``8 * word + 7`` belong to each field."""
    if word:
        lengths = np.maximum(lengths - 8 * word, 0)
    return np.minimum(lengths, 8)


def _shared(numbers: IntArray) -> IntArray:
    """An array of one element if all numbers are equal, else the numbers."""
    return numbers[:1] if (numbers == numbers[0]).all() else numbers


def fixed_width(words: WordArray, starts: IntArray, lengths: IntArray) -> IdArray:
    """Fields of at most 64 bytes as a byte string array whose width is a multiple of 8."""
    lengths = _shared(lengths)
    count = (int(lengths.max()) + 7) // 8
    if count == 1:
        return _padded(words, starts, lengths, 0).view("S8")
    columns = np.empty((len(starts), count), np.uint64)
    for word in range(count):
        columns[:, word] = _padded(words, starts, lengths, word)
    return columns.view(f"S{8 * count}").ravel()


def starts_of_runs(words: WordArray, starts: IntArray, lengths: IntArray) -> IntArray:
    """Index 0 and the indices of fields that differ from the field before. A field has at most 64 bytes."""
    lengths = _shared(lengths)
    differs = np.zeros(len(starts), np.bool_)
    differs[0] = True
    for word in range((int(lengths.max()) + 7) // 8):
        part = _padded(words, starts, lengths, word)
        differs[1:] |= part[1:] != part[:-1]
    return np.flatnonzero(differs)


# ---- numbers -------------------------------------------------------------------------------------------

_HIGH_HALVES, _DIGIT_HALVES, _SIX = _each_byte(0xF0), _each_byte(0x30), _each_byte(0x06)
_LOW_HALVES = _each_byte(0x0F)
_POINTS, _ONES, _TOP_BITS = _each_byte(ord(".")), _each_byte(0x01), _each_byte(0x80)

_TENS = np.array([10**power for power in range(9)], np.uint64)
#: A number below ``_ROOM[n]`` still fits into 64 bits after ``n`` digits are appended.
_ROOM = np.array([(1 << 64) // 10**power - 1 for power in range(9)], np.uint64)
_FLOAT_TENS = np.array([10.0**power for power in range(23)])  # exact up to 10**22
_LONG = np.longdouble
_LONG_TENS = np.cumprod([_LONG(1), *[_LONG(10)] * 24])  # exact in a mantissa of 64 bits
_LONG_IS_WIDER = np.finfo(_LONG).nmant >= 63


def _all_digits(word: WordArray, mask: WordArray) -> BoolArray:
    """Whether all bytes under the mask are digits; ``word`` is zero elsewhere."""
    # The upper half of a digit is 3, and stays 3 when 6 is added.
    expected = _DIGIT_HALVES & mask
    result: BoolArray = (word & _HIGH_HALVES) == expected
    result &= ((word + (_SIX & mask)) & _HIGH_HALVES) == expected
    return result


def _number(word: WordArray) -> WordArray:
    """The number spelt by the eight digits of each word. Zero bytes may stand for leading zeros."""
    # Pairs of digits, then of pairs, then of fours: lower bytes are the more significant digits.
    word = word & _LOW_HALVES
    word = (word * np.uint64(1 + (10 << 8))) >> np.uint64(8)
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(1 + (100 << 16))) >> np.uint64(16)
    return ((word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(1 + (10_000 << 32))) >> np.uint64(32)


def _digits_before_point(word: WordArray) -> IntArray:
    """Number of bytes before the first point of each word, 8 if it has none."""
    zero_at_point = word ^ _POINTS
    # The lowest byte whose top bit is set here is the first zero byte; there are 8 bits per byte below it.
    top = (zero_at_point - _ONES) & ~zero_at_point & _TOP_BITS
    return (np.bitwise_count((top - np.uint64(1)) & ~top) >> 3).astype(np.int64)


def _without_sign(words: WordArray, starts: IntArray) -> tuple[BoolArray, IntArray, WordArray]:
    """A mask of the fields that start with a minus, the position of each number without its minus, and the
    eight bytes from that position on."""
    head = load(words, starts)
    negative: BoolArray = (head & _FIRST[1]) == ord("-")
    if negative.any():
        starts = starts + negative
        head = load(words, starts)
    return negative, starts, head


def integers(words: WordArray, starts: IntArray, ends: IntArray) -> tuple[IntArray, BoolArray]:
    """The integers spelt by the fields, and a mask of the fields that were understood.

    A field is understood if it is an optional minus and one to eight digits. The numbers of other fields are
    undefined.
    """
    negative, starts, _ = _without_sign(words, starts)
    lengths = ends - starts
    mask = _LAST.take(_bytes_in(lengths, 0))
    word = load(words, ends - 8) & mask
    understood = _all_digits(word, mask)
    understood &= (lengths > 0) & (lengths <= 8)
    value = _number(word).view(np.int64)
    if negative.any():
        np.negative(value, out=value, where=negative)
    return value, understood


def decimals(words: WordArray, starts: IntArray, ends: IntArray) -> tuple[FloatArray, BoolArray]:
    """The correctly rounded doubles spelt by the fields, and a mask of the fields that were understood.

    A field is understood if it is an optional minus, up to 8 digits, and optionally a point and up to 24
    digits, where all digits together are below 2**64. The values of other fields are undefined.
    """
    negative, starts, head = _without_sign(words, starts)
    lengths = ends - starts
    before = np.minimum(_digits_before_point(head), lengths)
    # Scores are mostly printed with the same number of decimals.
    after = _shared(np.maximum(lengths - before - 1, 0))
    digits = before + after
    # A point after the first eight bytes is not seen.
    understood = ((before < 8) | (lengths <= 8)) & (digits > 0)
    head <<= ((8 - before) << 3).view(np.uint64)
    if digits.max() <= 8:
        # The digits of both sides form one word.
        head >>= (after << 3).view(np.uint64)
        head |= load(words, ends - 8) & _LAST.take(after)
        understood &= _all_digits(head, _LAST.take(digits))
        value = _number(head).astype(np.float64) / _FLOAT_TENS.take(after)
    else:
        understood &= _all_digits(head, _LAST.take(before))
        understood &= after <= 24
        value = _with_decimals(words, _number(head), ends, np.minimum(after, 24), understood)
    if negative.any():
        np.negative(value, out=value, where=negative)
    return value, understood


def _with_decimals(
    words: WordArray, mantissa: WordArray, ends: IntArray, after: IntArray, understood: BoolArray
) -> FloatArray:
    """Doubles from their integer part and the ``after`` digits that end at ``ends``.

    Args:
        mantissa: the integer parts.
        after: the number of digits after the point, 0 to 24: one per field, or a single one for all fields.
        understood: set to False for fields with other characters than digits, or with too many digits.
    """
    may_overflow = (int(mantissa.max()) + 1) * 10 ** int(after.max()) > 1 << 64
    for word in reversed(range((int(after.max()) + 7) // 8)):
        count = _bytes_in(after, word)
        mask = _LAST.take(count)
        digits = load(words, ends - 8 * (word + 1)) & mask
        understood &= _all_digits(digits, mask)
        if may_overflow:
            understood &= mantissa < _ROOM.take(count)
        mantissa = mantissa * _TENS.take(count) + _number(digits)

    # Mantissa and power of ten are exact as doubles, so that one division rounds correctly.
    value: FloatArray = mantissa.astype(np.float64) / _FLOAT_TENS.take(np.minimum(after, 22))
    long = np.flatnonzero(understood & ((mantissa >= np.uint64(1 << 53)) | (after > 22)))
    if len(long):
        places = np.broadcast_to(after, value.shape)[long]
        value[long], understood[long] = _long_division(mantissa[long], places)
    return value


def _long_division(mantissa: WordArray, places: IntArray) -> tuple[FloatArray, BoolArray]:
    """``mantissa / 10**places`` as doubles, and a mask of the doubles that are surely rounded correctly."""
    if not _LONG_IS_WIDER:
        return mantissa.astype(np.float64), np.zeros(len(mantissa), np.bool_)
    quotient = mantissa.astype(_LONG) / _LONG_TENS.take(places)
    # The true quotient lies between its two neighbours. If both round to one double, so does the quotient.
    below = np.nextafter(quotient, _LONG(0)).astype(np.float64)
    return below, below == np.nextafter(quotient, _LONG(np.inf)).astype(np.float64)


#: Bytes of text per block. The columns of a block take several times as much memory as its text.
BLOCK_BYTES = 1 << 20

_NEWLINE, _BLANK, _TAB, _COMMENT = b"\n \t#"
_IS_BLANK = np.isin(np.arange(256), list(b" \t\v\f\r"))

# Freeing one large array raises glibc's thresholds for returning memory to the system. Otherwise the
# temporary columns of every block are unmapped and faulted in again, which doubles the time of reading.
_large = np.empty(31 << 20, np.uint8)
del _large


class _IrregularError(Exception):
    """This block needs the plain parser."""


class _Text(Struct, frozen=True, eq=False):
    """Whole lines in a padded buffer, which is reused for the next lines.

    Attributes:
        data: the buffer; the lines are ``data[PADDING:end]``, each with its newline.
    """

    data: npt.NDArray[np.uint8]
    end: int

    @property
    def words(self) -> WordArray:
        """The same memory as 64-bit words."""
        return self.data.view(np.uint64)

    def lines(self) -> bytes:
        return self.data[PADDING : self.end].tobytes()

    def tokens(self, starts: IntArray, ends: IntArray) -> list[bytes]:
        # Copying all of the text is faster than cutting many pieces from a view.
        text = self.data.data if len(starts) < 1000 else self.data.tobytes()
        return [bytes(text[a:b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]


def read_blocks(
    stream: BufferedIOBase,
    path: str,
    layout: Layout,
    rules: Rules,
    size: int = BLOCK_BYTES,
    *,
    with_ranks: bool = True,
) -> Iterator[Block]:
    """Read the rows of a run or of qrels, in blocks of about ``size`` bytes of text.

    Args:
        stream: binary stream; it is read forward only.
        path: name of the file for messages.
        layout: the columns of a run or of qrels.
        rules: strictness.
        with_ranks: whether to read the rank column and all tags, which trec_eval ignores.

    Raises:
        InputError: at the first line that cannot be read.
    """
    first_line = 1
    for text in _texts(stream, path, size):
        # Yielded columns are copies; the text itself is overwritten when the next one is read.
        block: Block | None
        try:
            try:
                block = _regular(text, layout, rules, first_line, with_ranks)
            except _IrregularError:
                block = _regular(_with_single_blanks(text), layout, rules, first_line, with_ranks)
            first_line += len(block.docnos)
        except _IrregularError:
            lines = text.lines()
            blank = layout.lenient and not lines.strip()  # there may be millions of them
            block = None if blank else reference_reader.block(lines, path, layout, rules, first_line)
            first_line += lines.count(b"\n")
        if block is not None:
            yield block


def _texts(stream: BufferedIOBase, path: str, size: int) -> Iterator[_Text]:
    """The stream cut at newlines: texts of at most ``size`` bytes, or of one line if it is longer."""
    buffer = _buffer(size)
    filled = PADDING
    while True:
        room = len(buffer) - PADDING - filled
        if not room:
            line = buffer[PADDING:filled].tobytes()
            if len(buffer) > LONGEST_LINE:
                raise endless_line(path, line)
            if b"\0" in line:
                break  # a NUL byte is always an error
            buffer = np.append(buffer, np.empty_like(buffer))
            continue
        count = stream.readinto(buffer.data[filled : filled + room])
        filled += count
        if not count:
            break
        end = PADDING + buffer[PADDING:filled].tobytes().rfind(b"\n") + 1
        if end > PADDING:
            yield _Text(buffer, end)
            rest = filled - end
            buffer[PADDING : PADDING + rest] = buffer[end:filled]
            filled = PADDING + rest
    if filled > PADDING:
        buffer[filled] = _NEWLINE
        yield _Text(buffer, filled + 1)


def _buffer(size: int) -> npt.NDArray[np.uint8]:
    return np.empty((size + 2 * PADDING + 7) // 8 * 8, np.uint8)


def _with_single_blanks(text: _Text) -> _Text:
    """The same lines with one space between columns and none at either end."""
    lines = text.data[PADDING : text.end]
    blank = _IS_BLANK.take(lines)
    keep = ~blank
    keep[:-1] |= ~(blank | (lines == _NEWLINE))[1:]
    lines = lines[keep]
    lines[blank[keep]] = _BLANK
    leading = lines == _BLANK
    leading[1:] &= lines[:-1] == _NEWLINE
    lines = lines[~leading]
    buffer = _buffer(len(lines))
    end = PADDING + len(lines)
    buffer[PADDING:end] = lines
    return _Text(buffer, end)


def _bounds(separators: IntArray, column: int) -> tuple[IntArray, IntArray]:
    """Start and end of a column, counted from 0, in each line."""
    ends = np.ascontiguousarray(separators[:, column])
    if column:
        return separators[:, column - 1] + 1, ends
    starts = np.empty_like(ends)
    starts[0] = PADDING
    np.add(separators[:-1, -1], 1, out=starts[1:])
    return starts, ends


def _separators(text: _Text, count: int) -> IntArray:
    """Position of the byte after each column of each line, shape (lines, columns).

    Raises:
        _IrregularError: a line does not have exactly ``count`` columns separated by single blanks or tabs.
    """
    lines = text.data[PADDING : text.end]
    low = lines <= _BLANK
    ends = np.flatnonzero(low)
    rows, rest = divmod(len(ends), count)
    if rest:
        raise _IrregularError
    # A newline follows the last column of every line, and a space or tab every other column.
    blanks = np.count_nonzero(lines == _BLANK)
    if blanks != rows * (count - 1):
        blanks += np.count_nonzero(lines == _TAB)
    newlines = (lines.take(ends[count - 1 :: count]) == _NEWLINE).all()
    if low[0] or (low[1:] & low[:-1]).any() or blanks != rows * (count - 1) or not newlines:
        raise _IrregularError
    ends += PADDING
    return ends.reshape(rows, count)


def _topics(text: _Text, starts: IntArray, ends: IntArray, rules: Rules) -> tuple[IntArray, list[bytes]]:
    """The rows at which a new topic begins, and the topics that begin there."""
    if rules.comments and (text.data.take(starts) == _COMMENT).any():
        raise _IrregularError
    changes = starts_of_runs(text.words, starts, _lengths(starts, ends))
    return changes, text.tokens(starts[changes], ends[changes])


def _ids(text: _Text, starts: IntArray, ends: IntArray) -> IdArray:
    return fixed_width(text.words, starts, _lengths(starts, ends))


def _lengths(starts: IntArray, ends: IntArray) -> IntArray:
    """The lengths of ids; raises _IrregularError if an id is too long for a column of fixed width."""
    lengths = ends - starts
    if lengths.max() > LONGEST_FIXED_ID:
        raise _IrregularError
    return lengths


def _regular(text: _Text, layout: Layout, rules: Rules, first_line: int, with_ranks: bool) -> Block:
    """The rows of a text whose lines all have single separators and the columns of ``layout``; raises
    _IrregularError for any other text."""
    separators = _separators(text, len(layout.columns))
    bounds = {name: partial(_bounds, separators, column) for column, name in enumerate(layout.columns)}
    changes, topics = _topics(text, *bounds["topic"](), rules)
    docnos = _ids(text, *bounds["docno"]())
    lines = range(first_line, first_line + len(docnos))
    made = partial(Block, starts=changes, topics=topics, docnos=docnos, lines=lines)
    if layout.noun != RUN_LINES.noun:
        rated, second = "relevance" in bounds, rules.subtopics and "iteration" in bounds
        if rated:
            rels, odd = _integers(text, *bounds["relevance"](), whole_number if rules.strict else _lenient)
        else:
            rels, odd = np.ones(len(docnos), np.int64), None
        if odd is not None:
            raise _IrregularError
        return made(values=rels, subtopics=_ids(text, *bounds["iteration"]()) if second else None)
    scored, tagged = "score" in bounds, "tag" in bounds
    ranked = "rank" in bounds and (with_ranks or not scored)
    ranks, odd = _integers(text, *bounds["rank"](), whole_number) if ranked else (None, None)
    ranks = ranks if odd is None else None
    if scored:
        scores = _scores(text, *bounds["score"](), rules)
    elif ranks is None:
        raise _IrregularError
    else:
        scores = -ranks.astype(np.float64)  # so that the first rank is the highest score
    return made(
        values=scores,
        ranks=ranks if with_ranks else None,
        odd_rank=None if odd is None else (first_line + odd[0], odd[1]),
        tag=text.tokens(*_bounds(separators[-2:], layout.columns.index("tag")))[-1] if tagged else b"",
        tags=_tags(text, *bounds["tag"]()) if tagged and with_ranks else (),
    )


def _tags(text: _Text, starts: IntArray, ends: IntArray) -> tuple[bytes, ...]:
    """The tags, each once. A tag is left out if the tag before begins with the same 64 bytes."""
    changes = starts_of_runs(text.words, starts, np.minimum(ends - starts, LONGEST_FIXED_ID))
    return tuple(dict.fromkeys(text.tokens(starts[changes], ends[changes])))


def _scores(text: _Text, starts: IntArray, ends: IntArray, rules: Rules) -> FloatArray:
    scores, understood = decimals(text.words, starts, ends)
    rows = np.flatnonzero(~understood)
    if len(rows):
        scores[rows], complete = atofs(text.tokens(starts[rows], ends[rows]))
        if rules.strict and (not complete or np.isnan(scores[rows]).any()):
            raise _IrregularError
    return scores


def _lenient(token: bytes) -> int | None:
    value, _ = atol(token)
    return value if value in INT64 else None


def _integers(
    text: _Text, starts: IntArray, ends: IntArray, read: Callable[[bytes], int | None]
) -> tuple[IntArray, tuple[int, bytes] | None]:
    """The integers of a column, and the row and text of the first field for which ``read`` returns None."""
    numbers, understood = integers(text.words, starts, ends)
    rows = np.flatnonzero(~understood)
    for row, token in zip(rows.tolist(), text.tokens(starts[rows], ends[rows]), strict=True):
        value = read(token)
        if value is None:
            return numbers, (row, token)
        numbers[row] = value
    return numbers, None
