import { themeKey } from './theme.ts'

/**
 * The script that both pages carry in <head>, before any style applies: it sets the remembered theme
 * so that the wrong one never shows. A browser that refuses storage gets the default.
 * The server allows it by its hash, so it holds nothing that changes.
 */
export const themeBoot = `{let t;try{t=localStorage.getItem(${JSON.stringify(themeKey)})}catch{}document.documentElement.dataset.theme=t==='dark'?t:'light'}`
