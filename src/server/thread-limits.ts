/**
 * The limits of the heap of a thread that computes hashes. The heap need only hold one block of a file
 * and a few messages, because scrypt takes its memory outside of it.
 */
export const threadLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }
