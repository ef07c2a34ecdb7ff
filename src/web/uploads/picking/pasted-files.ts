import { type Drop, type DropItem, readDrop } from './dropped-files.ts'

/** The part of the clipboard's `DataTransfer` that a paste is read from. */
export interface Clipboard {
  items: Iterable<DropItem>
  getData(format: 'text/plain'): string
}

/** How old a picture that the browser made of the clipboard can be when it is read, in milliseconds. */
const justMadeMs = 10_000

/**
 * Browsers call a picture that is no file `image.png`, and date it at the moment of the paste. A file
 * of that name from a file manager has a date of its own.
 */
const isPicture = (file: File, now: Date) =>
  file.type.startsWith('image/') &&
  /^image\.[a-z0-9]+$/i.test(file.name) &&
  now.getTime() - file.lastModified < justMadeMs

/** The moment as a file name tells it, in the person's own time: 2026-11-21 at 14.03.22. */
const stamp = (now: Date): string => {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-')
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('.')
  return `${day} at ${time}`
}

const pasted = (content: BlobPart, name: string, type: string, now: Date): Drop => ({
  files: [{ file: new File([content], name, { type, lastModified: now.getTime() }), pasted: true }],
  unreadable: [],
})

/**
 * Makes files of what was pasted. Files and folders of a file manager are taken as if they had been
 * dropped, and keep their names. Else text becomes a file, and then a picture: programs that copy rich
 * text lay a picture of it beside it, and plain text is what was meant. Must be called within the event;
 * never rejects. Nothing usable gives no files.
 */
export const readPaste = async (clipboard: Clipboard, now: Date): Promise<Drop> => {
  const items = [...clipboard.items].filter(({ kind }) => kind === 'file')
  const seen = items.map((item) => ({ item, file: item.getAsFile() }))
  const isFile = ({ file }: { file: File | null }) => !file || !isPicture(file, now)
  const chosen = seen.filter(isFile).map(({ item }) => item)
  if (chosen.length > 0) return readDrop(chosen)

  const text = clipboard.getData('text/plain')
  if (text.trim() !== '') return pasted(text, `Pasted text ${stamp(now)}.txt`, 'text/plain', now)

  // Several pictures are one in several formats.
  const picture = seen[0]?.file
  if (!picture) return { files: [], unreadable: [] }
  const extension = picture.name.slice(picture.name.lastIndexOf('.') + 1).toLowerCase()
  return pasted(picture, `Pasted image ${stamp(now)}.${extension}`, picture.type, now)
}
