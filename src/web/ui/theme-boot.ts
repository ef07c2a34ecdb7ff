import { themeKey } from './theme.ts'

/**
 * The script in the <head> of all pages. It sets the remembered theme before anything is painted,
 * so that the wrong theme never shows. If the browser refuses localStorage, the theme is light. The
 * server's security policy allows the script by its hash, so its text must be constant.
 */
export const themeBoot = `{let t;try{t=localStorage.getItem(${JSON.stringify(themeKey)})}catch{}document.documentElement.dataset.theme=t==='dark'?t:'light'}`
