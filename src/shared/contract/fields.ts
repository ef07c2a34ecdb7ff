import { z } from 'zod'

/** Dates travel as ISO 8601 text in UTC. */
export const isoDate = z.iso.datetime()

/** A short code as it stands in a link: see design of `short-code`. Any other text is simply no code. */
export const shortCode = z.string().min(1).max(64)

/** The key that names an upload at the server and in storage. */
export const cloudKey = z.string().min(1).max(128)

/** An answer that only says that it was done. */
export const done = z.object({ message: z.string() })
