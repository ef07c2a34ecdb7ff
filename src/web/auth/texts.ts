/** The text for a call without an answer, in the words of spec §8, network failure. */
export const checkConnection = 'Please check your connection and try again'

/**
 * The pages that verify an address or reset a password show this sentence, besides a toast (spec
 * §8).
 */
export const networkErrorOccurred = 'Network error occurred'
