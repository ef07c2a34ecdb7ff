import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Change, Node, RecordedDisk, Step } from './recorded-disk.ts'

type Tree = Map<string, Tree | Buffer>

/** A disk state that a power cut can leave. */
export interface PowerCut {
  /** Describes the last step before the cut and the lost changes. */
  moment: string
  /** Promises made to clients before the cut. */
  promised: ReadonlySet<string>
  /** Writes this state to an existing directory. */
  restore(folder: string): Promise<void>
}

/**
 * Simulates a power cut after every step. Yields each distinct disk state that a cut can leave:
 * - Synced data is never lost. Syncing a file keeps its bytes, syncing a directory keeps its names.
 *   A move survives once both directories are synced.
 * - Each unsynced name change may be lost or kept, independently of the others.
 * - A move is atomic, as on a journaling file system.
 * - Of a file's unsynced writes, none, all or a single one may be lost. The bytes of a single lost
 *   write are zeros or the old bytes.
 * - If a write is lost, so are the appends directly after it. The file never ends with a gap.
 */
export function* powerCuts(disk: RecordedDisk): Generator<PowerCut> {
  const seen = new Set<string>()
  const promised = new Set<string>()
  for (const [index, last] of disk.steps.entries()) {
    if (last.kind === 'promise') promised.add(last.promise)
    const steps = disk.steps.slice(0, index + 1)
    for (const lost of losses(steps)) {
      const tree = treeOf(disk, steps, lost)
      const print = createHash('sha256').update(`${[...promised]}`)
      fingerprint(tree, (piece) => print.update(piece))
      const known = print.digest('hex')
      if (seen.has(known)) continue
      seen.add(known)
      yield {
        moment: `step ${index} (${tell(last)}), lost: ${[...lost].map(tell).join(', ') || 'nothing'}`,
        promised: new Set(promised),
        restore: (folder) => write(folder, tree),
      }
    }
  }
}

/** Yields each set of changes that one cut can lose. */
function* losses(steps: readonly Step[]): Generator<Set<Change>> {
  const unsynced = steps.filter((step, at): step is Change => !isDurable(steps, step, at))
  const names = unsynced.filter(({ kind }) => kind === 'name')
  const byNode = Map.groupBy(
    unsynced.filter((change) => change.kind !== 'name'),
    ({ node }) => node,
  )
  const choices = [
    ...names.map((change): Change[][] => [[], [change]]),
    ...[...byNode.values()].map((changes) => [
      [],
      changes,
      ...changes.map((_, at) => [...withWhatLeansOn(changes, at)]),
    ]),
  ]
  for (const chosen of product(choices)) yield new Set(chosen.flat())
}

/** True if this step can't be lost, because it is synced or changes nothing. */
function isDurable(steps: readonly Step[], step: Step, at: number): boolean {
  if (step.kind === 'sync' || step.kind === 'promise') return true
  const needed = step.kind === 'name' ? step.namings.map(({ folder }) => folder) : [step.node]
  return needed.every((node) =>
    steps.some((sync) => sync.kind === 'sync' && sync.node === node && sync.since > at),
  )
}

/** Yields change `at` and the contiguous appends after it, which are lost together. */
function* withWhatLeansOn(changes: readonly BytesChange[], at: number): Generator<Change> {
  let end: number | undefined
  for (const change of changes.slice(at)) {
    const leans = change.kind === 'write' && change.appends && change.at === end
    if (end !== undefined && !leans) continue
    yield change
    end = change.kind === 'write' ? change.at + change.bytes.length : Number.NaN
  }
}

type BytesChange = Exclude<Change, { kind: 'name' }>

function* product<T>([first, ...rest]: T[][]): Generator<T[]> {
  if (!first) yield []
  else for (const others of product(rest)) for (const one of first) yield [one, ...others]
}

function treeOf(disk: RecordedDisk, steps: readonly Step[], lost: Set<Change>): Tree {
  const names = new Map([...disk.folders].map((folder) => [folder, new Map<string, Node>()]))
  const bytes = new Map<Node, Buffer>()
  for (const step of steps) {
    if (step.kind === 'sync' || step.kind === 'promise' || lost.has(step)) continue
    if (step.kind === 'name') {
      for (const { folder, name, node } of step.namings) {
        if (node === null) names.get(folder)?.delete(name)
        else names.get(folder)?.set(name, node)
      }
    } else bytes.set(step.node, changed(bytes.get(step.node) ?? Buffer.of(), step))
  }
  const build = (folder: Node): Tree =>
    new Map(
      [...(names.get(folder) ?? [])].map(([name, node]) => [
        name,
        disk.folders.has(node) ? build(node) : (bytes.get(node) ?? Buffer.of()),
      ]),
    )
  return build(disk.root)
}

function changed(before: Buffer, change: BytesChange): Buffer {
  const { kind } = change
  const length = kind === 'write' ? change.at + change.bytes.length : change.length
  const after = Buffer.alloc(kind === 'write' ? Math.max(before.length, length) : length)
  before.copy(after)
  if (kind === 'write') change.bytes.copy(after, change.at)
  return after
}

function fingerprint(tree: Tree, take: (piece: string | Buffer) => void): void {
  for (const name of [...tree.keys()].sort()) {
    const held = tree.get(name)
    take(`\0${name}\0`)
    if (held instanceof Map) fingerprint(held, take)
    else
      take(
        createHash('sha256')
          .update(held ?? '')
          .digest(),
      )
    take('\0')
  }
}

async function write(folder: string, tree: Tree): Promise<void> {
  for (const [name, held] of tree) {
    const path = join(folder, name)
    if (held instanceof Map) {
      await mkdir(path)
      await write(path, held)
    } else await writeFile(path, held)
  }
}

function tell(step: Step): string {
  switch (step.kind) {
    case 'name':
      return step.namings.map(({ name, node }) => `${node === null ? '-' : '+'}${name}`).join(' ')
    case 'write':
      return `${step.bytes.length} bytes at ${step.at} of file ${step.node}`
    case 'truncate':
      return `file ${step.node} cut to ${step.length}`
    case 'sync':
      return `sync of ${step.node}`
    case 'promise':
      return `"${step.promise}"`
  }
}
