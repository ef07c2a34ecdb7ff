import { themeKey } from './theme.ts'

/**
 * The script in the <head> of all pages. It runs before any style applies and sets the remembered
 * theme, so that the wrong theme never shows. A browser that refuses storage gets the default. The
 * server allows the script by its hash, so its text must be constant.
 */
export const themeBoot = `{let t;try{t=localStorage.getItem(${JSON.stringify(themeKey)})}catch{}document.documentElement.dataset.theme=t==='dark'?t:'light'}`
