import * as fs from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { PartGrant } from '../storage.ts'
import { newStorageKey } from '../storage-key.ts'
import { FileDigests } from './file-digests.ts'
import { Folders } from './folders.ts'
import { SharedHeldParts } from './shared-held-parts.ts'

it('begins a list once where two servers get the first parts at the same moment', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mayfly-shared-parts-'))
  const folders = await Folders.open(fs, dataDir)
  const digests = new FileDigests(pino({ level: 'silent' }))
  let last: Promise<unknown> = Promise.resolve()
  const alone = <T>(_name: string, work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn
    return turn
  }
  const servers = [1, 2].map(() => new SharedHeldParts(folders, digests, { alone }))
  for (let round = 0; round < 20; round += 1) {
    const key = newStorageKey()
    const grants = [1, 2].map(
      (partNumber): PartGrant => ({
        key,
        partNumber,
        offset: partNumber - 1,
        size: 1,
        mimeType: 'text/plain',
        until: new Date(0),
      }),
    )
    await Promise.all(
      servers.map(async (server, index) => {
        const grant = grants[index] as PartGrant
        const file = await server.begin(grant)
        await file.write(Buffer.of(index), 0, 1, grant.offset)
        await file.close()
        await server.hold(grant, crc32(Buffer.of(index)))
      }),
    )
    for (const server of servers) expect(await server.areWhole(key, 2)).toBe(true)
  }
  await digests.close()
  await folders.close()
  await rm(dataDir, { recursive: true })
})
