import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Mayfly } from './mayfly.ts'

const settledAfterMs = 150

/** Runs `work`. Returns its result and the lines that Postgres logged while it ran. */
export async function captureLog<Result>(
  { dataDir }: Pick<Mayfly, 'dataDir'>,
  work: () => Promise<Result>,
): Promise<{ result: Result; log: string }> {
  const path = join(dataDir, 'postgres.log')
  const startOffset = await waitForSettledSize(path)
  const result = await work()
  return { result, log: await readFrom(path, startOffset, await waitForSettledSize(path)) }
}

/** Waits until the file stops growing. Returns its size. */
async function waitForSettledSize(path: string): Promise<number> {
  for (;;) {
    const { size } = await stat(path)
    await wait(settledAfterMs)
    if ((await stat(path)).size === size) return size
  }
}

async function readFrom(path: string, startOffset: number, endOffset: number): Promise<string> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(
      Buffer.alloc(endOffset - startOffset),
      0,
      endOffset - startOffset,
      startOffset,
    )
    return buffer.toString()
  } finally {
    await file.close()
  }
}
