/**
 * How many letters a piece of a search text has at most. An index of trigrams cannot find a piece
 * of fewer than three letters.
 */
const pieceLength = 4
const shortestPiece = 3

/** What to look up in an index of trigrams to find a text. */
export interface IndexedSearch {
  /**
   * Parts of the search text, of three or four letters each. Every row that contains the search
   * text contains all of them. The index finds several short pieces much faster than one long text:
   * it skips from one row with a rare piece to the next, and need not compare all trigrams of the
   * text with every row.
   */
  pieces: string[]
  /**
   * The first word of a search text without pieces, because all its words are too short. The index
   * can find this word only at the beginning of words. null if there are pieces, or if the text has
   * no letters and digits.
   */
  wordStart: string | null
}

/** Divides a search text into what an index of trigrams can find. */
export function indexedSearch(search: string): IndexedSearch {
  const words = search.match(/[\p{L}\p{N}]+/gu) ?? []
  const pieces = words.flatMap((word) => piecesOf([...word]))
  const wordStart = pieces.length > 0 ? null : (words[0] ?? null)
  return { pieces: [...new Set(pieces)], wordStart }
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
