/** The text for a call without an answer, in the words of spec §8, network failure. */
export const checkConnection = 'Please check your connection and try again'

/** The sentence that verify and reset show on the page, besides their toast (spec §8). */
export const networkErrorOccurred = 'Network error occurred'
