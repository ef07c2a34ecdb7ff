import { type Drop, type DropItem, readDrop } from './dropped-files.ts'

/** The part of the clipboard's `DataTransfer` that is needed to read a paste. */
export interface Clipboard {
  items: Iterable<DropItem>
  getData(format: 'text/plain'): string
}

/**
 * If the date of a picture is less than this long ago, the browser made the picture during the
 * paste.
 */
const justMadeMs = 10_000

/**
 * True for a picture that is not a file on a disk. Browsers name it `image.png` and give it the
 * time of the paste as its date. A file that a file manager copied has an older date, whatever its
 * name is.
 */
function isPicture(file: File, now: Date) {
  return (
    file.type.startsWith('image/') &&
    /^image\.[a-z0-9]+$/i.test(file.name) &&
    now.getTime() - file.lastModified < justMadeMs
  )
}

/** Returns a local time in the form that file names use: 2026-11-21 at 14.03.22. */
function stamp(now: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-')
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('.')
  return `${day} at ${time}`
}

function pasted(content: BlobPart, name: string, type: string, now: Date): Drop {
  return {
    files: [
      { file: new File([content], name, { type, lastModified: now.getTime() }), pasted: true },
    ],
    unreadable: [],
  }
}

/**
 * Makes files of a paste. Files and folders that a file manager copied are read like a drop.
 * Otherwise the text becomes a file. Without text the picture becomes a file. Text comes first,
 * since programs that copy rich text add a picture of the text. Call it while the event is handled.
 * Never rejects.
 */
export async function readPaste(clipboard: Clipboard, now: Date): Promise<Drop> {
  const items = [...clipboard.items].filter(({ kind }) => kind === 'file')
  const seen = items.map((item) => ({ item, file: item.getAsFile() }))
  const isFile = ({ file }: { file: File | null }) => !file || !isPicture(file, now)
  const chosen = seen.filter(isFile).map(({ item }) => item)
  if (chosen.length > 0) return readDrop(chosen)

  const text = clipboard.getData('text/plain')
  if (text.trim() !== '') return pasted(text, `Pasted text ${stamp(now)}.txt`, 'text/plain', now)

  // If the clipboard has several pictures, they are one picture in several formats. So the first
  // one is enough.
  const picture = seen[0]?.file
  if (!picture) return { files: [], unreadable: [] }
  const extension = picture.name.slice(picture.name.lastIndexOf('.') + 1).toLowerCase()
  return pasted(picture, `Pasted image ${stamp(now)}.${extension}`, picture.type, now)
}
