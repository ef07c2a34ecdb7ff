import { setInterval as every } from 'node:timers/promises'
import { readResidentBytes } from './process-cost.ts'

const sampleMs = 100
const mebibyte = 1024 ** 2

/** Samples the processes' total resident memory, in MiB, every 100 ms until `stopSignal` aborts. */
export async function watchMemory(
  pids: readonly number[],
  stopSignal: AbortSignal,
): Promise<number[]> {
  const samples: number[] = []
  try {
    for await (const _tick of every(sampleMs, undefined, { signal: stopSignal })) {
      samples.push(readResidentBytes(pids) / mebibyte)
    }
  } catch (error) {
    if (!stopSignal.aborted) throw error
  }
  return samples
}

/**
 * Splits samples into thirds by time. If memory use is stable, the first and the last third are
 * similar.
 */
export function splitIntoThirds(samples: readonly number[]) {
  const thirdLength = Math.ceil(samples.length / 3)
  return {
    first: samples.slice(0, thirdLength),
    middle: samples.slice(thirdLength, -thirdLength),
    last: samples.slice(-thirdLength),
  }
}
