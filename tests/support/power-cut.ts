import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Change, Node, RecordedDisk, Step } from './recorded-disk.ts'

type Tree = Map<string, Tree | Buffer>

/** One of the states in which a power cut can leave a disk. */
export interface PowerCut {
  /** Describes the last step before the power cut, and the changes that were lost. */
  description: string
  promises: ReadonlySet<string>
  restore(folder: string): Promise<void>
}

/**
 * Simulates a power cut after every step. Yields each distinct state in which it can leave the
 * disk, according to these rules:
 * - Synced data is never lost. Syncing a file preserves its bytes, and syncing a directory
 *   preserves the names in it. A move is safe once both directories are synced.
 * - Each unsynced change to a name may be lost or kept, independently of the others.
 * - A move is atomic, as on a journaling file system.
 * - Of the unsynced writes to a file, none, all or any single one may be lost. If it is a single
 *   one, its range contains zeros or the old bytes.
 * - If a write is lost, so are the appends directly after it, so the file never ends with a gap.
 */
export function* powerCuts(disk: RecordedDisk): Generator<PowerCut> {
  const seenStates = new Set<string>()
  const promises = new Set<string>()
  for (const [index, lastStep] of disk.steps.entries()) {
    if (lastStep.kind === 'promise') promises.add(lastStep.promise)
    const steps = disk.steps.slice(0, index + 1)
    for (const lostChanges of possibleLosses(steps)) {
      const tree = buildTree(disk, steps, lostChanges)
      const hash = createHash('sha256').update(`${[...promises]}`)
      fingerprint(tree, (data) => hash.update(data))
      const digest = hash.digest('hex')
      if (seenStates.has(digest)) continue
      seenStates.add(digest)
      yield {
        description: `step ${index} (${describeStep(lastStep)}), lost: ${[...lostChanges].map(describeStep).join(', ') || 'nothing'}`,
        promises: new Set(promises),
        restore: (folder) => writeTree(folder, tree),
      }
    }
  }
}

/** Yields each set of changes that a single power cut can lose. */
function* possibleLosses(steps: readonly Step[]): Generator<Set<Change>> {
  const unsyncedChanges = steps.filter(
    (step, index): step is Change => !isDurable(steps, step, index),
  )
  const nameChanges = unsyncedChanges.filter(({ kind }) => kind === 'name')
  const bytesChangesByNode = Map.groupBy(
    unsyncedChanges.filter((change) => change.kind !== 'name'),
    ({ node }) => node,
  )
  const choices = [
    ...nameChanges.map((change): Change[][] => [[], [change]]),
    ...[...bytesChangesByNode.values()].map((changes) => [
      [],
      changes,
      ...changes.map((_, index) => [...withDependentAppends(changes, index)]),
    ]),
  ]
  for (const combination of combinations(choices)) yield new Set(combination.flat())
}

/** Returns true if a power cut can't lose this step, because it is synced or changes nothing. */
function isDurable(steps: readonly Step[], step: Step, index: number): boolean {
  if (step.kind === 'sync' || step.kind === 'promise') return true
  const requiredNodes =
    step.kind === 'name' ? step.nameChanges.map(({ folder }) => folder) : [step.node]
  return requiredNodes.every((node) =>
    steps.some((sync) => sync.kind === 'sync' && sync.node === node && sync.since > index),
  )
}

/** Yields the change at `index` and the contiguous appends after it, which are lost together. */
function* withDependentAppends(changes: readonly BytesChange[], index: number): Generator<Change> {
  let end: number | undefined
  for (const change of changes.slice(index)) {
    const isContiguous = change.kind === 'write' && change.appends && change.offset === end
    if (end !== undefined && !isContiguous) continue
    yield change
    end = change.kind === 'write' ? change.offset + change.bytes.length : Number.NaN
  }
}

type BytesChange = Exclude<Change, { kind: 'name' }>

function* combinations<T>([first, ...rest]: T[][]): Generator<T[]> {
  if (!first) yield []
  else
    for (const combination of combinations(rest))
      for (const option of first) yield [option, ...combination]
}

function buildTree(disk: RecordedDisk, steps: readonly Step[], lostChanges: Set<Change>): Tree {
  const namesByFolder = new Map(
    [...disk.folders].map((folder) => [folder, new Map<string, Node>()]),
  )
  const bytesByNode = new Map<Node, Buffer>()
  for (const step of steps) {
    if (step.kind === 'sync' || step.kind === 'promise' || lostChanges.has(step)) continue
    if (step.kind === 'name') {
      for (const { folder, name, node } of step.nameChanges) {
        if (node === null) namesByFolder.get(folder)?.delete(name)
        else namesByFolder.get(folder)?.set(name, node)
      }
    } else bytesByNode.set(step.node, applyChange(bytesByNode.get(step.node) ?? Buffer.of(), step))
  }
  const buildFolder = (folder: Node): Tree =>
    new Map(
      [...(namesByFolder.get(folder) ?? [])].map(([name, node]) => [
        name,
        disk.folders.has(node) ? buildFolder(node) : (bytesByNode.get(node) ?? Buffer.of()),
      ]),
    )
  return buildFolder(disk.root)
}

function applyChange(oldBytes: Buffer, change: BytesChange): Buffer {
  const { kind } = change
  const length = kind === 'write' ? change.offset + change.bytes.length : change.length
  const newBytes = Buffer.alloc(kind === 'write' ? Math.max(oldBytes.length, length) : length)
  oldBytes.copy(newBytes)
  if (kind === 'write') change.bytes.copy(newBytes, change.offset)
  return newBytes
}

function fingerprint(tree: Tree, addData: (piece: string | Buffer) => void): void {
  for (const name of [...tree.keys()].sort()) {
    const entry = tree.get(name)
    addData(`\0${name}\0`)
    if (entry instanceof Map) fingerprint(entry, addData)
    else
      addData(
        createHash('sha256')
          .update(entry ?? '')
          .digest(),
      )
    addData('\0')
  }
}

async function writeTree(folder: string, tree: Tree): Promise<void> {
  for (const [name, entry] of tree) {
    const path = join(folder, name)
    if (entry instanceof Map) {
      await mkdir(path)
      await writeTree(path, entry)
    } else await writeFile(path, entry)
  }
}

function describeStep(step: Step): string {
  switch (step.kind) {
    case 'name':
      return step.nameChanges
        .map(({ name, node }) => `${node === null ? '-' : '+'}${name}`)
        .join(' ')
    case 'write':
      return `${step.bytes.length} bytes at ${step.offset} of file ${step.node}`
    case 'truncate':
      return `file ${step.node} cut to ${step.length}`
    case 'sync':
      return `sync of ${step.node}`
    case 'promise':
      return `"${step.promise}"`
  }
}
