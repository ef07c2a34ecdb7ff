/**
 * The limits of the heap of a thread that computes hashes. It holds one block of a file and a few
 * messages. The memory of scrypt is not in the heap.
 */
export const threadLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }
