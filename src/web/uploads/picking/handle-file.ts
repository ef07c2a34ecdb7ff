/**
 * What became of the file behind a handle: here it is; the person must allow it first, or did not; it
 * was moved or removed.
 */
export type HandleFile =
  | { state: 'found'; file: File }
  | { state: 'permission' }
  | { state: 'gone' }

/** A call on handles that browsers with a file picker know; the types of the DOM lack it. */
interface Permission {
  requestPermission(of: { mode: 'read' }): Promise<PermissionState>
}

const canAsk = (handle: FileSystemFileHandle): handle is FileSystemFileHandle & Permission =>
  'requestPermission' in handle

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name

/**
 * The file behind a handle, without asking anybody: as long as a tab of this origin stays open, and
 * through a reload, the browser remembers the permission of a drop or a choice. Never rejects.
 */
export const readHandle = async (handle: FileSystemFileHandle): Promise<HandleFile> => {
  try {
    return { state: 'found', file: await handle.getFile() }
  } catch (error) {
    return { state: isNamed(error, 'NotAllowedError') ? 'permission' : 'gone' }
  }
}

/**
 * The file behind a handle; the browser asks the person where it must. Call it in the handler of a
 * click: without one a browser does not ask, and it stays at 'permission'. Takes as long as the person
 * does. Never rejects.
 */
export const askForHandle = async (handle: FileSystemFileHandle): Promise<HandleFile> => {
  const before = await readHandle(handle)
  if (before.state !== 'permission' || !canAsk(handle)) return before
  try {
    if ((await handle.requestPermission({ mode: 'read' })) !== 'granted') return before
  } catch {
    return before
  }
  return readHandle(handle)
}
