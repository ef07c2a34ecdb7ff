const KiB = 1024
const MiB = 1024 * KiB

/** How many transfers may run at once. */
export interface Ceiling {
  /** The number for all clients together. */
  total: number
  /** The number that each client may have in any case, while there is room at all. */
  always: number
}

/**
 * The limits of all transfers together. With the most downloads, or the most uploads, the process
 * stays below 250 MiB; without a transfer it has about 160 MiB.
 */
export const transferLimits = {
  // A download that waits for its reader holds one piece, so 512 of them hold 32 MiB. A download
  // manager opens up to 16.
  downloads: { total: 512, always: 16 },
  // The bytes between socket and disk take 200 KiB for each upload, so 256 of them take 50 MiB. The
  // browser sends five parts at once, and six small files.
  uploads: { total: 256, always: 16 },
  /** The seconds after which a client that found no room may ask again. */
  retryAfter: 10,
  /** How many bytes a download hands to the socket at once. */
  pieceBytes: 64 * KiB,
  /** The most pieces that a download reads at once. Reading 1 MiB is as fast as reading more. */
  burstPieces: 16,
  /**
   * How many downloads read at once. Node has four threads for file access, so eight keep them
   * busy.
   */
  bursts: 8,
  /** How many bytes all uploads together may gather before they are written. */
  gatheredBytes: 16 * MiB,
}
