const KiB = 1024
const MiB = 1024 * KiB

/**
 * The limits of all transfers together. With as many downloads or as many uploads as allowed, the
 * process needs less than 250 MiB of memory; without a transfer about 160 MiB.
 */
export const transferLimits = {
  // A download that waits for its client keeps one piece of memory (64 KiB), so 512 of them keep 32
  // MiB. A download manager opens up to 16 connections.
  downloads: { total: 512, always: 16 },
  // The bytes between socket and disk take 200 KiB for each upload, so 256 of them take 50 MiB. The
  // browser sends five parts, or five small files, in parallel.
  uploads: { total: 256, always: 16 },
  /** A download that reads from the disk hands its bytes to the socket in pieces of this size. */
  pieceBytes: 64 * KiB,
  /**
   * How many pieces a download reads in one step at most. Reading 1 MiB is as fast as reading more.
   */
  burstPieces: 16,
  /**
   * How many downloads read in parallel. Node has four threads for files, and eight downloads keep
   * them busy.
   */
  bursts: 8,
  /** How many bytes of files that are downloaded again and again are kept in memory. */
  hotBytes: 16 * MiB,
  /** A larger file is never kept: to open it costs little beside its bytes. */
  hotFileBytes: 2 * MiB,
  /**
   * A download of a file that is kept in memory hands its bytes to the socket in pieces of this
   * size. The pieces are large, because each costs a system call, and none needs memory of its own.
   */
  keptPieceBytes: 512 * KiB,
  /** How many bytes all uploads together may keep in memory before they are written. */
  gatheredBytes: 16 * MiB,
}
