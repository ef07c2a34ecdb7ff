/**
 * The heap limits of a thread that computes hashes. Its heap holds only code, messages and other
 * small objects. The memory of scrypt and the block of a file lie outside of the heap, so these
 * limits do not count them.
 */
export const threadLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }
