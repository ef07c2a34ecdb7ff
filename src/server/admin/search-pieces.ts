/** The length of a piece. An index of trigrams finds no piece that is shorter than three letters. */
const pieceLength = 4
const shortestPiece = 3

/** How an index of trigrams is asked for a text. */
export interface IndexedSearch {
  /**
   * Every row that contains the text contains all of these pieces of it. Several short pieces are
   * found much faster than one long text: the index leaps from one rare piece to the next, and does
   * not compare every trigram of every candidate.
   */
  pieces: string[]
  /**
   * For a text without pieces: its letters and digits. Only where a word begins with them, the
   * index can find them. null if the text has none.
   */
  wordStart: string | null
}

/** Divides a text that somebody searches for into what an index of trigrams can find. */
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
    // The last piece overlaps the one before, so that it is not too short.
    const start = Math.max(0, Math.min(at, letters.length - pieceLength))
    pieces.push(letters.slice(start, start + pieceLength).join(''))
  }
  return pieces
}
