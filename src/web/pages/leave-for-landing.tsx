import { useEffect } from 'react'
import { dropHint, readHint } from '../api/hint-cookie.ts'
import { LoadingPage } from './loading-page.tsx'

/**
 * Loads the landing page from the server. It is for a visitor whose browser still hints that
 * somebody is signed in, although the session has ended. So it first removes the hint.
 */
export function LeaveForLanding() {
  useEffect(() => {
    const hint = readHint(document)
    if (hint !== null) dropHint(document, hint)
    // If the browser has not removed the hint, the server would answer / with this application
    // again. The login page avoids this loop.
    window.location.replace(readHint(document) === null ? '/' : '/login')
  }, [])
  return <LoadingPage />
}
