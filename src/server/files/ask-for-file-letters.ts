import { endsSoonMs, type FileLetter } from '../../shared/rules/file-letters.ts'
import type { Db, Deps } from '../deps.ts'
import {
  findLetterReader,
  findOwnersOfEndingLinks,
  findOwnersOfFirstDownloads,
  takeEndingLinks,
  takeFirstDownloads,
} from './preference-queries.ts'

type LetterDeps = Pick<Deps, 'clock' | 'db' | 'mailQueue'>

const ownersAtOnce = 100

/**
 * Asks for the letters about files that were downloaded for the first time: one letter for all files
 * of an owner. Counting a first download put the file into a table, and the transaction that asks
 * for its letter takes it out. So each file is told of once, whatever is cut off or runs twice.
 * @returns for how many files a letter was asked for.
 */
export function tellFirstDownloads(deps: LetterDeps): Promise<{ toldCount: number }> {
  return forEachOwner(
    (after) => findOwnersOfFirstDownloads(deps.db, after, ownersAtOnce),
    (ownerId) =>
      askForLetter(deps, ownerId, 'first-download', async (tx) => {
        const fileIds = await takeFirstDownloads(tx, ownerId)
        // Without the letter the files are taken out all the same: nobody wants it any more.
        const reader = await findLetterReader(tx, ownerId, deps.clock())
        return reader?.mailOnFirstDownload ? fileIds : []
      }),
  )
}

/**
 * Asks for the letters about links that end within a day: one letter for all such links of an owner.
 * The file notes the end that was told, in the transaction that asks for the letter. So each end of
 * a link is told of once, and a renewed link again.
 * @returns for how many files a letter was asked for.
 */
export function tellEndingLinks(deps: LetterDeps): Promise<{ toldCount: number }> {
  const now = deps.clock()
  const time = { now, until: new Date(now.getTime() + endsSoonMs) }
  return forEachOwner(
    (after) => findOwnersOfEndingLinks(deps.db, time, after, ownersAtOnce),
    (ownerId) =>
      askForLetter(deps, ownerId, 'link-ends', (tx) => takeEndingLinks(tx, ownerId, time)),
  )
}

/** Asks for one letter to an owner, if `take` returns any files, in the transaction that takes them. */
function askForLetter(
  { db, mailQueue }: LetterDeps,
  userId: string,
  letter: FileLetter,
  take: (tx: Db) => Promise<string[]>,
): Promise<number> {
  return db.transaction(async (tx) => {
    const fileIds = await take(tx)
    if (fileIds.length > 0) await mailQueue.add({ kind: 'files', userId, letter, fileIds }, tx)
    return fileIds.length
  })
}

/** Tells every owner that `find` returns, a page of them at a time, and adds up how much was told. */
async function forEachOwner(
  find: (after: string) => Promise<string[]>,
  tell: (ownerId: string) => Promise<number>,
): Promise<{ toldCount: number }> {
  let toldCount = 0
  let after = ''
  for (;;) {
    const owners = await find(after)
    for (const ownerId of owners) toldCount += await tell(ownerId)
    const last = owners.at(-1)
    if (last === undefined || owners.length < ownersAtOnce) return { toldCount }
    after = last
  }
}
