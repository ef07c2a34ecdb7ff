/** What decides about the main action of the Upload tab. */
export interface UploadTabFacts {
  /**
   * True while Recent Files marks files as new, as it does for some seconds after an upload.
   */
  hasNews: boolean
  /** The user came by the offer of a trial. */
  wantsTrial: boolean
  /** Files wait in this browser. */
  hasWaiting: boolean
}

/**
 * Returns the main action of the Upload tab, since a screen has only one. After an upload it is to
 * copy the new link. Before that it is what the user came for: the trial, or the files that wait in
 * this browser. Otherwise it is to choose files.
 */
export function mainActionOf({ hasNews, wantsTrial, hasWaiting }: UploadTabFacts) {
  if (hasNews) return 'copy'
  if (wantsTrial) return 'trial'
  return hasWaiting ? 'upload' : 'choose'
}
