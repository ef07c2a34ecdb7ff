import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { pino } from 'pino'
import { expect } from 'vitest'
import { clientAddress, privateNetworks } from '../../src/server/http/client-address.ts'
import type { HttpEnv } from '../../src/server/http/env.ts'
import { type ConnectionLimits, connectionLimits } from '../../src/server/http/limits.ts'
import { listen } from '../../src/server/http/listen.ts'
import { type DiskStorage, openDiskStorage } from '../../src/server/storage/disk/disk.ts'
import type { FileSystem } from '../../src/server/storage/disk/file-system.ts'
import type { DownloadGrant, UploadGrant } from '../../src/server/storage/storage.ts'
import { newStorageKey } from '../../src/server/storage/storage-key.ts'
import { type TestClock, testClock } from './test-clock.ts'
import { type LogLine, logCollector } from './test-log.ts'
import { type TestSpace, testSpace } from './test-space.ts'

/** A disk store with its own directory, served over HTTP. */
export interface DiskServer {
  storage: DiskStorage
  dataDir: string
  port: number
  clock: TestClock
  space: TestSpace
  logLines: LogLine[]
  /** The storage keys for which the store reported incoming bytes, in order. */
  touchedKeys: string[]
  endedKeys: Set<string>
  /** If true, looking up an upload fails, as it does while the database is down. */
  shouldFailLookup: boolean
  /** Looking up an upload waits for this promise. */
  lookupUnblocked: Promise<void>
  endUpload(key: string): void
  /** Returns the files that the store has open, except for two directories that are always open. */
  openFiles(): Promise<string[]>
  /** Returns a grant like those in presigned URLs, for a new upload of `size` bytes. */
  uploadGrant(size: number, changes?: Partial<UploadGrant>): UploadGrant
  downloadGrant(key: string, size: number, changes?: Partial<DownloadGrant>): DownloadGrant
  /** Returns a URL at which the store delivers the file. */
  downloadUrl(grant: DownloadGrant): Promise<string>
  /** Stops the server but keeps its directory, so that another server can use it. */
  stop(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a server on a new directory, or on one left by an earlier server. `fileSystem` replaces
 * the real file system.
 */
export async function openDiskServer(
  existingDataDir?: string,
  fileSystem?: FileSystem,
  limits: Partial<ConnectionLimits> = {},
): Promise<DiskServer> {
  const dataDir = existingDataDir ?? (await mkdtemp(join(tmpdir(), 'mayfly-disk-')))
  const clock = testClock()
  const space = testSpace()
  const logLines: LogLine[] = []
  const grants: DownloadGrant[] = []
  const { server, port } = await listen(
    new Hono<HttpEnv>(),
    async (request, response) => {
      const [, index] = /^\/storage\/delivery-(\d+)$/.exec(request.url ?? '') ?? []
      const grant = grants[Number(index)]
      if (!grant) return storage.handle(request, response)
      const delivery = await storage.deliver(grant, 'GET')
      if (delivery.kind === 'stream') await delivery.send(request, response)
    },
    {
      host: '127.0.0.1',
      port: 0,
      admit: () => true,
      watch() {},
      trustedProxies: null,
      log: { warn() {} },
    },
    { ...connectionLimits, ...limits },
  )
  const getTimeInOneHour = () => new Date(clock().getTime() + 3_600_000)

  const disk: Omit<DiskServer, 'storage'> = {
    dataDir,
    port,
    clock,
    space,
    logLines,
    touchedKeys: [],
    endedKeys: new Set(),
    shouldFailLookup: false,
    lookupUnblocked: Promise.resolve(),
    endUpload: (key) => void disk.endedKeys.add(key),
    async openFiles() {
      const descriptors = await readdir('/proc/self/fd')
      const linkPromises = descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
      const permanentFolders = ['uploads', 'files'].map((name) => join(dataDir, name))
      const targets = await Promise.all(linkPromises)
      return targets.filter(
        (target) => target.startsWith(dataDir) && !permanentFolders.includes(target),
      )
    },
    uploadGrant: (size, changes) => ({
      key: newStorageKey(),
      size,
      mimeType: 'application/octet-stream',
      expiresAt: getTimeInOneHour(),
      ...changes,
    }),
    downloadGrant: (key, size, changes) => ({
      key,
      size,
      mimeType: 'application/octet-stream',
      fileName: 'file.bin',
      version: `version-of-${key}`,
      createdAt: new Date('2025-07-12T10:20:30.456Z'),
      expiresAt: getTimeInOneHour(),
      ...changes,
    }),
    downloadUrl: async (grant) =>
      `http://127.0.0.1:${port}/storage/delivery-${grants.push(grant) - 1}`,
    async stop() {
      await storage.close()
      await closeServer(server)
    },
    async close() {
      await disk.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  const storage: DiskStorage = await openDiskStorage({
    dataDir,
    appUrl: new URL(`http://127.0.0.1:${port}`),
    secret: 'a secret that only this test run knows',
    clock,
    log: pino({}, logCollector(logLines)),
    uploads: {
      async touch(key) {
        if (disk.shouldFailLookup) throw new Error('the database is down')
        disk.touchedKeys.push(key)
        await disk.lookupUnblocked
        return !disk.endedKeys.has(key)
      },
    },
    clientAddress: (request) => clientAddress(request, privateNetworks),
    shedLoad() {},
    space,
    ...(fileSystem && { fileSystem }),
  })
  return Object.assign(disk, { storage })
}

/** Waits until no transfer is in progress, and asserts that no file is open. */
export async function expectIdle({ storage, openFiles }: DiskServer): Promise<void> {
  await storage.transfers.waitForIdle()
  expect(storage.transfers.activeCount()).toBe(0)
  expect(await openFiles()).toEqual([])
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
