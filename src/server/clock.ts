/**
 * Returns the current time; tests set it. Nothing else in the server asks the system for the time.
 */
export type Clock = () => Date
