import type { AddedFiles } from './engine/upload-plan.ts'
import type { PickedFile } from './picking/picked-file.ts'

/**
 * The commands that the engine obeys, from any tab of this browser. This is the one list of
 * commands: the engine implements it, tabs send it to each other as data, and the page gives it
 * (`UploadsState`). If a tab closes in the middle of a command, the next tab runs the command
 * again. So running a command twice must do no harm. A command that returns a promise is done when
 * the promise settles.
 */
export interface UploadCommands {
  /**
   * Uploads files. A paused upload that waits for one of them gets the file instead, if the file is
   * recognised.
   */
  add(added: AddedFiles): Promise<void>
  /**
   * Spec §4: the upload fails with 'Cancelled by user'. An upload that has failed already is
   * removed at once.
   */
  cancel(id: string): void
  /** Cancels running and waiting uploads of the foreground path. */
  cancelForeground(): void
  /** Resumes a paused upload, or tries a failed one again, if its bytes are available. */
  resume(id: string): void
  /** Resumes the uploads that wait for a sign-in, if the user has signed in again. */
  resumeSignedIn(): Promise<void>
  /** Gives a paused upload its file again. Another file is refused, and the notice names it. */
  provideFile(id: string, picked: PickedFile): Promise<void>
  /**
   * Gives the engine the bytes of an upload that another tab has. That tab knows that they are the
   * right ones.
   */
  supplyFile(id: string, picked: PickedFile): void
  /** Removes completed and failed uploads. */
  clear(): void
  dismissInlineError(): void
}

/** A command as data. It travels from tab to tab. */
export type UploadCommand = {
  [Name in keyof UploadCommands]: { name: Name; args: Parameters<UploadCommands[Name]> }
}[keyof UploadCommands]

/** The commands as a page gives them. The page does not wait for their end. */
export type PageCommands = {
  [Name in keyof UploadCommands]: (...args: Parameters<UploadCommands[Name]>) => void
}
