const KiB = 1024
const MiB = 1024 * KiB

/** How many transfers run at once. */
export interface Ceiling {
  /** In all. */
  total: number
  /** Of one client, however many run: as long as there is room at all. */
  always: number
}

/**
 * What transfers may cost together. The process stays below 250 MiB at the ceiling of downloads, or of
 * uploads; without a transfer it has some 160 MiB.
 */
export const transferLimits = {
  // One that waits for its reader has one piece, so 512 of them have 32 MiB. 16 are what a download
  // manager opens.
  downloads: { total: 512, always: 16 },
  // What is on its way between socket and disk comes to 200 KiB for one, so 256 of them have 50 MiB.
  // The browser sends five parts at once, and six small files.
  uploads: { total: 256, always: 16 },
  /** When a client that found no room may ask again, in seconds. */
  retryAfter: 10,
  /** What a download hands to the socket at once, in bytes. */
  pieceBytes: 64 * KiB,
  /** What it reads at once for that, at most. 1 MiB is as fast as any larger size. */
  burstPieces: 16,
  /** How many downloads read at once. Node has four threads for it, so eight keep them busy. */
  bursts: 8,
  /** What uploads gather at once before it is written, all together, in bytes. */
  gatheredBytes: 16 * MiB,
}
