import { renderToStaticMarkup } from 'react-dom/server'
import { themeBoot } from '../../ui/theme-boot.ts'
import css from './request-page.css?inline'
import { ClosedRequestPage, RequestPage } from './request-page.tsx'

/** Our content security policy forbids eval. Zod would try it once (see `index.html`). */
const zodBoot = 'globalThis.__zod_globalConfig={jitless:true}'

/**
 * Renders the page of a request, and the page for one that has closed.
 * @param scripts the URLs of the script of all link pages, and of the one that sends files.
 */
export function renderRequestPages(scripts: { standard: string; send: string }) {
  const assets = { css, boot: `${themeBoot};${zodBoot}`, script: scripts.standard }
  const renderDocument = (page: React.ReactNode) => `<!doctype html>${renderToStaticMarkup(page)}`
  return {
    request: renderDocument(<RequestPage assets={assets} sendScript={scripts.send} />),
    closed: renderDocument(<ClosedRequestPage assets={assets} sendScript={scripts.send} />),
  }
}
