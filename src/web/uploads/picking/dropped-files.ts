/**
 * Reads files that a person drops, pastes, or chooses in a dialog of the browser (the picker). Some
 * browsers add a file handle to each file. The handle finds the file again after a reload. A file
 * input gives no handles.
 */
import type { PickedFile } from './picked-file.ts'

/** The files that a person dropped, pasted or chose together, including those in folders. */
export interface Drop {
  files: PickedFile[]
  /** The names of files and folders that could not be read. */
  unreadable: string[]
}

/** The part of `DataTransferItem` that is needed to read a drop. */
export interface DropItem {
  kind: string
  getAsFile(): File | null
  webkitGetAsEntry?(): FileSystemEntry | null
  /** Only Chromium has this method. */
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>
}

interface FileNode {
  name: string
  pick: () => Promise<PickedFile>
}
interface FolderNode {
  name: string
  list: () => Promise<TreeNode[]>
}
/**
 * A file or a folder. The code that reads it need not know whether the browser gave a handle or an
 * entry.
 */
type TreeNode = FileNode | FolderNode

/** How many files are opened in parallel. */
const batchSize = 100

/**
 * The names of files that operating systems put into folders, in lower case. They are not uploaded
 * with their folder. A person who drops such a file itself wants it, so that one is uploaded.
 */
const litter = new Set(['.ds_store', 'thumbs.db', 'desktop.ini'])

function isFolder(node: TreeNode): node is FolderNode {
  return 'list' in node
}

function isFile(node: TreeNode): node is FileNode {
  return 'pick' in node
}

function isFileHandle(handle: FileSystemHandle): handle is FileSystemFileHandle {
  return handle.kind === 'file'
}

function isFolderHandle(handle: FileSystemHandle): handle is FileSystemDirectoryHandle {
  return handle.kind === 'directory'
}

function ofFileHandle(handle: FileSystemFileHandle): FileNode {
  return {
    name: handle.name,
    pick: async () => ({ file: await handle.getFile(), handle }),
  }
}

function ofFolderHandle(folder: FileSystemDirectoryHandle): FolderNode {
  return {
    name: folder.name,
    list: async () => {
      const nodes: TreeNode[] = []
      for await (const handle of folder.values()) {
        if (isFolderHandle(handle)) nodes.push(ofFolderHandle(handle))
        else if (isFileHandle(handle)) nodes.push(ofFileHandle(handle))
      }
      return nodes
    },
  }
}

function isFolderEntry(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function isFileEntry(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function ofFolderEntry(folder: FileSystemDirectoryEntry): FolderNode {
  return {
    name: folder.name,
    list: async () => {
      const reader = folder.createReader()
      const nodes: TreeNode[] = []
      for (;;) {
        const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
          reader.readEntries(resolve, reject),
        )
        if (entries.length === 0) return nodes
        for (const entry of entries) {
          if (isFolderEntry(entry)) nodes.push(ofFolderEntry(entry))
          else if (isFileEntry(entry)) {
            const pick = async () => ({
              file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)),
            })
            nodes.push({ name: entry.name, pick })
          }
        }
      }
    },
  }
}

/**
 * Adds all files in `nodes` to `drop`, and the names of those that cannot be read. The files of a
 * folder come before those of its subfolders.
 */
async function readNodes(nodes: readonly TreeNode[], drop: Drop): Promise<void> {
  const files = nodes.filter(isFile)
  for (let from = 0; from < files.length; from += batchSize) {
    const batch = files.slice(from, from + batchSize)
    const picked = await Promise.allSettled(batch.map(({ pick }) => pick()))
    for (const [i, result] of picked.entries()) {
      if (result.status === 'fulfilled') drop.files.push(result.value)
      else drop.unreadable.push(batch[i]?.name ?? '')
    }
  }
  for (const folder of nodes.filter(isFolder)) {
    try {
      await readNodes(tidy(await folder.list()), drop)
    } catch {
      drop.unreadable.push(folder.name)
    }
  }
}

/**
 * Leaves out the files of operating systems, and sorts by name as file managers do: 2 comes before
 * 10.
 */
function tidy(nodes: readonly TreeNode[]): TreeNode[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true })
  return nodes
    .filter((node) => isFolder(node) || !litter.has(node.name.toLowerCase()))
    .sort((one, other) => compare(one.name, other.name))
}

/**
 * Takes the file or folder out of an event's item immediately, because after the event the browser
 * gives no access to the item. The returned function resolves to it; null if the item has no file.
 */
function grab(item: DropItem): () => Promise<TreeNode | null> {
  const handlePromise = item.getAsFileSystemHandle?.().catch(() => null)
  const entry = item.webkitGetAsEntry?.() ?? null
  const file = item.getAsFile()
  return async () => {
    const handle = (await handlePromise) ?? null
    if (handle && isFolderHandle(handle)) return ofFolderHandle(handle)
    if (entry && isFolderEntry(entry)) return ofFolderEntry(entry)
    if (!file) return null
    const picked = handle && isFileHandle(handle) ? { file, handle } : { file }
    return { name: file.name, pick: async () => picked }
  }
}

/**
 * Reads a drop or a paste: its files, and all files in its folders. Files come with handles where
 * the browser gives them. Text and links are ignored. Call it while the event is handled. Never
 * rejects.
 */
export async function readDrop(items: Iterable<DropItem>): Promise<Drop> {
  const grabbed = [...items].filter(({ kind }) => kind === 'file').map(grab)
  const nodes = await Promise.all(grabbed.map((open) => open()))
  const drop: Drop = { files: [], unreadable: [] }
  await readNodes(
    nodes.filter((node) => node !== null),
    drop,
  )
  return drop
}

/** Reads the files of handles, as the file dialog gives them. Never rejects. */
export async function readHandles(handles: readonly FileSystemFileHandle[]): Promise<Drop> {
  const drop: Drop = { files: [], unreadable: [] }
  await readNodes(handles.map(ofFileHandle), drop)
  return drop
}

/** True when nothing was dropped: neither files nor names of unreadable files. */
export function isNothing({ files, unreadable }: Drop): boolean {
  return files.length === 0 && unreadable.length === 0
}

/**
 * Returns the text for files that could not be read, or for a drop without files; null when all
 * files could be read.
 */
export function dropFault({
  files,
  unreadable,
}: Drop): { title: string; description: string } | null {
  const [first] = unreadable
  if (first !== undefined) {
    const others = unreadable.length - 1
    const names = others === 0 ? first : `${first} and ${others} more`
    return {
      title: files.length > 0 ? 'Some files could not be read' : 'Could not be read',
      description: `${names}. The browser has no right to read them, or they are gone.`,
    }
  }
  if (files.length > 0) return null
  return { title: 'Nothing to upload', description: 'What was dropped holds no files.' }
}
