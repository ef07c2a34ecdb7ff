/** Tells the time; tests set it. Nothing else in the server asks the system for it. */
export type Clock = () => Date
