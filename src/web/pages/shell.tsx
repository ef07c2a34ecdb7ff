import { renderToStaticMarkup } from 'react-dom/server'
import { welcomeName } from '../../shared/rules/accounts/names.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { LoadingPage } from './loading-page.tsx'

/**
 * Requests the user before the application's scripts have loaded, greets them (spec §2), and keeps
 * the response for `currentUserQuery`. The server's Content Security Policy allows the script by
 * its hash.
 */
const greetingBoot = `if(location.pathname==='/'){${welcomeName}
globalThis.userResponse=fetch('/api/auth/user',{credentials:'include'})
userResponse.then(r=>r.ok&&r.clone().json()).then(u=>{const h=document.getElementById('greeting')
if(u&&h)h.textContent='Welcome back, '+welcomeName(u)}).catch(()=>{})}`

/**
 * Renders what the application's page shows until its scripts run. Its fallback font keeps the
 * download of Inter from delaying them.
 */
export function renderShell(): string {
  const heading = (
    <h1 id="greeting" className="text-2xl wrap-anywhere">
      <Skeleton className="h-8 w-64 max-w-full" />
    </h1>
  )
  const page = renderToStaticMarkup(
    <div className="font-fallback">
      <LoadingPage heading={heading} />
    </div>,
  )
  return `<div id="root">${page}</div><script>${greetingBoot}</script>`
}
