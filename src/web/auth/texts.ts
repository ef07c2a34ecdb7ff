/** The text for a call without an answer, in the words of spec §8, network failure. */
export const checkConnection = 'Please check your connection and try again'
