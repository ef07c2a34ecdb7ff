import { minuteInMs } from './time-units.ts'

/**
 * How long an upload without activity still takes a slot of its owner, and the room on the disk
 * that was promised to it, in milliseconds. After that it blocks no other upload.
 */
export const slotHeldMs = 15 * minuteInMs
