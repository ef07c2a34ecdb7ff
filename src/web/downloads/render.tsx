import { renderToStaticMarkup } from 'react-dom/server'
import { themeBoot } from '../ui/theme-boot.ts'
import css from './download-page.css?inline'
import { DownloadPage, InvalidLinkPage } from './download-page.tsx'

/**
 * Renders both download pages as whole HTML documents. `script` is the address of the script that
 * adds features to them.
 */
export function renderDownloadPages(script: string): { link: string; invalid: string } {
  const built = { css, boot: themeBoot, script }
  const whole = (page: React.ReactNode) => `<!doctype html>${renderToStaticMarkup(page)}`
  return {
    link: whole(<DownloadPage built={built} />),
    invalid: whole(<InvalidLinkPage built={built} />),
  }
}
