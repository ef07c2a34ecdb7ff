/**
 * The limits of the heap of a thread that computes hashes. This heap contains only one block of a
 * file and a few messages. scrypt takes its memory outside of the heap.
 */
export const threadLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }
