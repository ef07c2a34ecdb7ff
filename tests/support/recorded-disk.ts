import type { FileHandle } from 'node:fs/promises'
import * as fs from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { FileSystem } from '../../src/server/storage/disk/file-system.ts'

/** An inode number. */
export type Node = number

/** A change to a directory entry: the name now refers to this inode, or to none. */
export interface NameChange {
  folder: Node
  name: string
  node: Node | null
}

export type Change =
  /** Creating or deleting a name is one change. Moving a file is two. */
  | { kind: 'name'; nameChanges: NameChange[] }
  /** A write. `appends` is true if the bytes extend the file. */
  | { kind: 'write'; node: Node; offset: number; bytes: Buffer; appends: boolean }
  | { kind: 'truncate'; node: Node; length: number }

export type Step =
  | Change
  /** A sync. Changes made to this inode before step `since` survive a power cut. */
  | { kind: 'sync'; node: Node; since: number }
  /** From this step on, a promise to a client must hold. */
  | { kind: 'promise'; promise: string }

/** A real directory. All changes and syncs in it are recorded. */
export interface RecordedDisk {
  root: Node
  folders: ReadonlySet<Node>
  steps: readonly Step[]
  fileSystem: FileSystem & { link(from: string, to: string): Promise<void> }
  promise(promise: string): void
}

/**
 * Records all changes and syncs made through `fileSystem` in an empty directory. `fileSystem` has
 * only the operations that can be recorded.
 */
export function recordDisk(dataDir: string): RecordedDisk {
  const root: Node = 0
  const nodesByPath = new Map<string, Node>([[dataDir, root]])
  const folders = new Set<Node>([root])
  const fileLengths: number[] = [0]
  const steps: Step[] = []

  const getNode = (path: string): Node => {
    const node = nodesByPath.get(path)
    if (node === undefined) throw new Error(`Nothing is known of ${path}.`)
    return node
  }
  const changeName = (path: string, node: Node | null): NameChange => {
    if (node === null) nodesByPath.delete(path)
    else nodesByPath.set(path, node)
    return { folder: getNode(dirname(path)), name: basename(path), node }
  }
  const recordCreation = (path: string): Node => {
    const node = fileLengths.push(0) - 1
    steps.push({ kind: 'name', nameChanges: [changeName(path, node)] })
    return node
  }
  const recordWrite = (node: Node, offset: number, bytes: Buffer): void => {
    const length = fileLengths[node] ?? 0
    fileLengths[node] = Math.max(length, offset + bytes.length)
    steps.push({ kind: 'write', node, offset, bytes, appends: offset === length })
  }
  const recordTruncation = (node: Node, length: number): void => {
    fileLengths[node] = length
    steps.push({ kind: 'truncate', node, length })
  }
  const recordSync = async (node: Node, syncPromise: Promise<void>): Promise<void> => {
    const since = steps.length
    await syncPromise
    steps.push({ kind: 'sync', node, since })
  }

  const recordFile = (file: FileHandle, node: Node): FileHandle => {
    const recordingHandle: Partial<FileHandle> = {
      stat: file.stat.bind(file),
      read: file.read.bind(file),
      close: file.close.bind(file),
      sync: () => recordSync(node, file.sync()),
      datasync: () => recordSync(node, file.datasync()),
      async writev(buffers, position) {
        // Copy the bytes first, because the caller may reuse its buffer.
        const bytes = Buffer.concat(
          buffers.map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength)),
        )
        const result = await file.writev(buffers, position)
        recordWrite(
          node,
          position ?? fileLengths[node] ?? 0,
          bytes.subarray(0, result.bytesWritten),
        )
        return result
      },
      async writeFile(text) {
        await file.writeFile(text)
        recordWrite(node, 0, Buffer.from(String(text)))
      },
      async truncate(length = 0) {
        await file.truncate(length)
        recordTruncation(node, length)
      },
    }
    return recordingHandle as FileHandle
  }

  const fileSystem: RecordedDisk['fileSystem'] = {
    async open(path, flags, mode) {
      const file = await fs.open(path, flags, mode)
      return recordFile(file, flags.startsWith('wx') ? recordCreation(path) : getNode(path))
    },
    async mkdir(path, options) {
      await fs.mkdir(path, options)
      if (!nodesByPath.has(path)) folders.add(recordCreation(path))
    },
    async rename(from, to) {
      await fs.rename(from, to)
      const node = getNode(from)
      steps.push({ kind: 'name', nameChanges: [changeName(from, null), changeName(to, node)] })
    },
    async link(from, to) {
      await fs.link(from, to)
      steps.push({ kind: 'name', nameChanges: [changeName(to, getNode(from))] })
    },
    async rm(path, options) {
      await fs.rm(path, options)
      if (nodesByPath.has(path)) steps.push({ kind: 'name', nameChanges: [changeName(path, null)] })
    },
  }

  return {
    root,
    folders,
    steps,
    fileSystem,
    promise: (promise) => void steps.push({ kind: 'promise', promise }),
  }
}
