/**
 * Reads files that the user drops, pastes, or chooses in the browser's file picker. Chromium
 * provides a handle for each file, which lets the page read it again after a reload.
 */
import { isSystemFile } from '../../../shared/rules/files/system-files.ts'
import type { PickedFile } from './picked-file.ts'

/** Files dropped, pasted or chosen together, including those in folders. */
export interface Drop {
  files: PickedFile[]
  /** Names of unreadable files and folders. */
  unreadable: string[]
}

/** The part of `DataTransferItem` needed to read a drop. */
export interface DropItem {
  kind: string
  getAsFile(): File | null
  webkitGetAsEntry?(): FileSystemEntry | null
  /** Chromium only. */
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>
}

interface FileNode {
  name: string
  read: () => Promise<PickedFile>
}
interface FolderNode {
  name: string
  list: () => Promise<TreeNode[]>
}
/** A file or folder, as a handle or an entry. */
type TreeNode = FileNode | FolderNode

function isFolder(node: TreeNode): node is FolderNode {
  return 'list' in node
}

function isFileHandle(handle: FileSystemHandle): handle is FileSystemFileHandle {
  return handle.kind === 'file'
}

function isFolderHandle(handle: FileSystemHandle): handle is FileSystemDirectoryHandle {
  return handle.kind === 'directory'
}

function fromFileHandle(handle: FileSystemFileHandle): FileNode {
  return {
    name: handle.name,
    read: async () => ({ file: await handle.getFile(), handle }),
  }
}

function fromFolderHandle(folder: FileSystemDirectoryHandle): FolderNode {
  return {
    name: folder.name,
    list: async () => {
      const nodes: TreeNode[] = []
      for await (const handle of folder.values()) {
        if (isFolderHandle(handle)) nodes.push(fromFolderHandle(handle))
        else if (isFileHandle(handle)) nodes.push(fromFileHandle(handle))
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

function fromFolderEntry(folder: FileSystemDirectoryEntry): FolderNode {
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
          if (isFolderEntry(entry)) nodes.push(fromFolderEntry(entry))
          else if (isFileEntry(entry)) {
            const read = async () => ({
              file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)),
            })
            nodes.push({ name: entry.name, read })
          }
        }
      }
    },
  }
}

/**
 * Adds all files in `nodes` to `drop`, as well as the names of unreadable files and folders, and
 * returns `drop`. A folder's own files come before those of its subfolders.
 */
async function readNodes(
  nodes: readonly TreeNode[],
  drop: Drop = { files: [], unreadable: [] },
): Promise<Drop> {
  const files = nodes.filter((node): node is FileNode => !isFolder(node))
  const results = await Promise.allSettled(files.map(({ read }) => read()))
  for (const [i, result] of results.entries()) {
    if (result.status === 'fulfilled') drop.files.push(result.value)
    else drop.unreadable.push(files[i]?.name ?? '')
  }
  for (const folder of nodes.filter(isFolder)) {
    try {
      await readNodes(tidyFolder(await folder.list()), drop)
    } catch {
      drop.unreadable.push(folder.name)
    }
  }
  return drop
}

/** Removes system files and sorts the rest by name as file managers do, with 2 before 10. */
function tidyFolder(nodes: readonly TreeNode[]): TreeNode[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true })
  return nodes
    .filter((node) => isFolder(node) || !isSystemFile(node.name))
    .sort((a, b) => compare(a.name, b.name))
}

/**
 * Captures the file or folder behind an item in a drop or paste, because items are accessible only
 * during the event. The returned function resolves to the node, or to null if the item has none.
 */
function captureNode(item: DropItem): () => Promise<TreeNode | null> {
  const handlePromise = item.getAsFileSystemHandle?.().catch(() => null)
  const entry = item.webkitGetAsEntry?.() ?? null
  const file = item.getAsFile()
  return async () => {
    const handle = (await handlePromise) ?? null
    if (handle && isFolderHandle(handle)) return fromFolderHandle(handle)
    if (entry && isFolderEntry(entry)) return fromFolderEntry(entry)
    if (!file) return null
    const picked = handle && isFileHandle(handle) ? { file, handle } : { file }
    return { name: file.name, read: async () => picked }
  }
}

/**
 * Reads the files from a drop or paste, including those in folders. Ignores text and links. Call
 * from the event handler. Never rejects.
 */
export async function readDrop(items: Iterable<DropItem>): Promise<Drop> {
  const nodeResolvers = [...items].filter(({ kind }) => kind === 'file').map(captureNode)
  const nodes = await Promise.all(nodeResolvers.map((resolveNode) => resolveNode()))
  return readNodes(nodes.filter((node) => node !== null))
}

/** Reads files from their handles. Never rejects. */
export function readHandles(handles: readonly FileSystemFileHandle[]): Promise<Drop> {
  return readNodes(handles.map(fromFileHandle))
}

/** True if the drop has neither readable nor unreadable files. */
export function isEmptyDrop({ files, unreadable }: Drop): boolean {
  return files.length === 0 && unreadable.length === 0
}

/** Returns the error to show if there are no files or some are unreadable, otherwise null. */
export function dropError({
  files,
  unreadable,
}: Drop): { title: string; description: string } | null {
  const [first] = unreadable
  if (first === undefined) {
    if (files.length > 0) return null
    return { title: 'Nothing to upload', description: 'There were no files in what you dropped.' }
  }
  const otherCount = unreadable.length - 1
  return {
    title: files.length > 0 ? 'Some files could not be read' : 'Could not be read',
    description: `${first}${otherCount === 0 ? '' : ` and ${otherCount} more`}. Check that the browser may read them and that they still exist.`,
  }
}
