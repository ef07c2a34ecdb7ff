/**
 * The state of the file behind a file handle. `found`: the file can be read. `permission`: the
 * browser must ask a person before it reads the file. `gone`: the file cannot be read for another
 * reason, mostly because it was moved or removed.
 */
export type HandleFile =
  | { state: 'found'; file: File }
  | { state: 'permission' }
  | { state: 'gone' }

/** A method of file handles that the DOM types do not list. */
interface Permission {
  requestPermission(of: { mode: 'read' }): Promise<PermissionState>
}

function canAsk(handle: FileSystemFileHandle): handle is FileSystemFileHandle & Permission {
  return 'requestPermission' in handle
}

function isNamed(error: unknown, name: string) {
  return error instanceof Error && error.name === name
}

/**
 * Returns the file behind a handle, without asking a person. While a tab of this origin is open,
 * the browser remembers after a reload that it may read the file. Never rejects.
 */
export async function readHandle(handle: FileSystemFileHandle): Promise<HandleFile> {
  try {
    return { state: 'found', file: await handle.getFile() }
  } catch (error) {
    return { state: isNamed(error, 'NotAllowedError') ? 'permission' : 'gone' }
  }
}

/**
 * Returns the file behind a handle. If the browser needs permission, it asks the person, and this
 * function waits for the answer. Call it in the handler of a click, or the browser does not ask.
 * Never rejects.
 */
export async function askForHandle(handle: FileSystemFileHandle): Promise<HandleFile> {
  const before = await readHandle(handle)
  if (before.state !== 'permission' || !canAsk(handle)) return before
  try {
    if ((await handle.requestPermission({ mode: 'read' })) !== 'granted') return before
  } catch {
    return before
  }
  return readHandle(handle)
}
