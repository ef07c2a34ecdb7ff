import { useEffect } from 'react'
import { dropHint, readHint } from '../api/hint-cookie.ts'
import { LoadingPage } from './loading-page.tsx'

/**
 * Loads the landing page from the server, for a visitor who came to / with the hint of a session that
 * has ended.
 */
export function LeaveForLanding() {
  useEffect(() => {
    const hint = readHint(document)
    if (hint !== null) dropHint(document, hint)
    // If the browser keeps the hint all the same, the server would send this application again.
    window.location.replace(readHint(document) === null ? '/' : '/login')
  }, [])
  return <LoadingPage />
}
