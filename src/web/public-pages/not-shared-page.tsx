/**
 * The page after somebody has shared a file with the installed application and the application
 * could not take it.
 */
export function NotSharedPage() {
  return (
    <div className="short">
      <h1>Please share it again</h1>
      <p className="muted">
        This time Mayfly could not take it. Of several files it takes all or none: nothing was
        uploaded, and what you shared is where it was. If it happens again, your browser may have no
        room for so much: share fewer files at a time, or open Mayfly and choose them there.
      </p>
      <a className="button primary" href="/">
        Open Mayfly
      </a>
    </div>
  )
}
