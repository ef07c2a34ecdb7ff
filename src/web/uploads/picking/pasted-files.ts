import { type Drop, type DropItem, readDrop } from './dropped-files.ts'

/** The part of the clipboard's `DataTransfer` needed to read a paste. */
export interface ClipboardContent {
  items: Iterable<DropItem>
  getData(format: 'text/plain'): string
}

/** Maximum age of a picture that the browser created for a paste. */
const maxPictureAgeMs = 10_000

/**
 * True for a picture that isn't a file on disk. Browsers name it `image.png` and date it to the
 * time of the paste, while files copied in a file manager have older dates.
 */
function isClipboardPicture(file: File, now: Date) {
  return (
    file.type.startsWith('image/') &&
    /^image\.[a-z0-9]+$/i.test(file.name) &&
    now.getTime() - file.lastModified < maxPictureAgeMs
  )
}

/** Formats a local time for a file name, as in '2026-11-21 at 14.03.22'. */
function formatTimestamp(now: Date): string {
  const pad = (part: number) => String(part).padStart(2, '0')
  const day = [now.getFullYear(), pad(now.getMonth() + 1), pad(now.getDate())].join('-')
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(pad).join('.')
  return `${day} at ${time}`
}

function createDrop(content: BlobPart, name: string, type: string, now: Date): Drop {
  return {
    files: [
      { file: new File([content], name, { type, lastModified: now.getTime() }), isPasted: true },
    ],
    unreadable: [],
  }
}

/**
 * Returns the files from a paste: copied files and folders or, if there are none, the text as a
 * file, or else the picture. Text takes precedence over a picture, because programs add a picture
 * to rich text. Call from the event handler. Never rejects.
 */
export async function readPaste(clipboard: ClipboardContent, now: Date): Promise<Drop> {
  const items = [...clipboard.items].filter(({ kind }) => kind === 'file')
  const entries = items.map((item) => ({ item, file: item.getAsFile() }))
  const isFileOnDisk = ({ file }: { file: File | null }) => !file || !isClipboardPicture(file, now)
  const itemsOnDisk = entries.filter(isFileOnDisk).map(({ item }) => item)
  if (itemsOnDisk.length > 0) return readDrop(itemsOnDisk)

  const text = clipboard.getData('text/plain')
  if (text.trim() !== '')
    return createDrop(text, `Pasted text ${formatTimestamp(now)}.txt`, 'text/plain', now)

  // Multiple pictures are the same picture in different formats.
  const picture = entries[0]?.file
  if (!picture) return { files: [], unreadable: [] }
  const extension = picture.name.slice(picture.name.lastIndexOf('.') + 1).toLowerCase()
  return createDrop(picture, `Pasted image ${formatTimestamp(now)}.${extension}`, picture.type, now)
}
