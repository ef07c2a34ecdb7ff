/**
 * How many letters a piece of a search text has at most. An index of trigrams cannot find a piece
 * of fewer than three letters.
 */
const pieceLength = 4
const shortestPiece = 3

/**
 * Returns the parts of a search text that an index of trigrams can find, of three or four letters
 * each. Every row that contains the search text contains all of them. The index finds several short
 * pieces much faster than one long text: it skips from one row with a rare piece to the next, and
 * need not compare all trigrams of the text with every row.
 * @returns no pieces if all words of the text are too short, or if it has only signs.
 */
export function searchPieces(search: string): string[] {
  const words = search.match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.flatMap((word) => piecesOf([...word])))]
}

function piecesOf(letters: readonly string[]): string[] {
  if (letters.length < shortestPiece) return []
  const pieces: string[] = []
  for (let at = 0; at < letters.length; at += pieceLength) {
    // If fewer letters are left, the last piece begins earlier and overlaps the piece before. So it
    // is not too short.
    const start = Math.max(0, Math.min(at, letters.length - pieceLength))
    pieces.push(letters.slice(start, start + pieceLength).join(''))
  }
  return pieces
}
