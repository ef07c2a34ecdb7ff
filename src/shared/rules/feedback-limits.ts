/*
 * How much feedback the whole instance accepts, from all addresses together. A limit for each
 * address alone would let many addresses fill the database and the inbox of the support.
 */

/** In 24 hours the server stores at most this many feedback messages. It refuses more. */
export const mostFeedbackADay = 1000

/**
 * In an hour the server sends at most this many emails about feedback. It stores further feedback
 * without an email of its own, and tells of it by one email after the hour.
 */
export const mostFeedbackLettersAnHour = 30
