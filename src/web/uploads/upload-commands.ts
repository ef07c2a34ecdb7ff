import type { Tier } from '../../shared/rules/tiers/tier.ts'
import type { AddedFiles } from './engine/upload-plan.ts'
import type { PickedFile } from './picking/picked-file.ts'

/**
 * The commands that tabs of this browser send to the upload engine. This is the one list of
 * commands: the engine implements it, tabs send the commands to each other as data, and pages call
 * them (`UploadsState`).
 *
 * If the tab that runs the engine closes in the middle of a command, another tab starts an engine
 * and runs the command again. So running a command twice must do no harm. A command that returns a
 * promise has ended when the promise settles.
 */
export interface UploadCommands {
  /** Uploads files. A file that a paused upload waits for is given to that upload instead. */
  add(added: AddedFiles): Promise<void>
  /**
   * Cancels an upload. Spec §4: the upload fails with 'Cancelled by user'. An upload that has
   * failed already is removed immediately.
   */
  cancel(id: string): void
  /** Cancels the running and waiting foreground uploads: those whose progress the page shows. */
  cancelForeground(): void
  /** Resumes a paused upload, or tries a failed one again, if its bytes are available. */
  resume(id: string): void
  /** Resumes the uploads that wait for a sign-in, if their owner is signed in again. */
  resumeSignedIn(): Promise<void>
  /**
   * Follows a change of the user's tier: the error about the old tier goes. After an upgrade, the
   * uploads that a limit of the old tier refused are tried again, in the order in which they were
   * added.
   */
  followTier(before: Tier, after: Tier): Promise<void>
  /**
   * Gives a paused upload its file again. If the file is another one, it is refused, and a notice
   * says why.
   */
  provideFile(id: string, picked: PickedFile): Promise<void>
  /**
   * Gives the engine the file of an upload that another tab has in memory. The engine does not
   * check the file, because that tab knows that it is the right one.
   */
  supplyFile(id: string, picked: PickedFile): void
  /** Removes completed and failed uploads. */
  clear(): void
  dismissInlineError(): void
}

/** A command as data that one tab sends to another. */
export type UploadCommand = {
  [Name in keyof UploadCommands]: { name: Name; args: Parameters<UploadCommands[Name]> }
}[keyof UploadCommands]

/**
 * The commands as a page calls them. They return nothing, since the page does not wait for their
 * end.
 */
export type PageCommands = {
  [Name in keyof UploadCommands]: (...args: Parameters<UploadCommands[Name]>) => void
}
