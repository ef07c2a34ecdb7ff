/**
 * The result of reading a handle. `permission`: the browser has to prompt the user first. `gone`:
 * unreadable, usually because the file was moved or removed.
 */
export type HandleResult = { state: 'found'; file: File } | { state: 'permission' | 'gone' }

/** A method of file handles that TypeScript's DOM types lack. */
interface Requester {
  requestPermission(descriptor: { mode: 'read' }): Promise<PermissionState>
}

function canPrompt(handle: FileSystemFileHandle): handle is FileSystemFileHandle & Requester {
  return 'requestPermission' in handle
}

/**
 * Returns a handle's file without prompting the user. The browser keeps the permission while a tab
 * of this origin is open. Never rejects.
 */
export async function readHandle(handle: FileSystemFileHandle): Promise<HandleResult> {
  try {
    return { state: 'found', file: await handle.getFile() }
  } catch (error) {
    const needsPrompt = error instanceof Error && error.name === 'NotAllowedError'
    return { state: needsPrompt ? 'permission' : 'gone' }
  }
}

/**
 * Returns a handle's file, prompting the user for permission if necessary. Call from a click
 * handler. Never rejects.
 */
export async function requestHandleFile(handle: FileSystemFileHandle): Promise<HandleResult> {
  const result = await readHandle(handle)
  if (result.state !== 'permission' || !canPrompt(handle)) return result
  const permission = await handle.requestPermission({ mode: 'read' }).catch(() => 'denied')
  return permission === 'granted' ? readHandle(handle) : result
}
