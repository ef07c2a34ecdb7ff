/*
 * What the whole instance takes of feedback, from all addresses together. A limit for each address
 * alone would let many addresses fill the database and the inbox of the support.
 */

/** So much feedback is stored in 24 hours. More is refused. */
export const mostFeedbackADay = 1000

/** So many letters about feedback are sent in an hour. More feedback is stored without a letter. */
export const mostFeedbackLettersAnHour = 30
