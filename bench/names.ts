const firstNames =
  'Ada Grace Alan Edsger Barbara Donald Margaret Dennis Frances Ken Hedy Tim Radia Linus Karen ' +
  'John Jean Niklaus Adele Tony Shafi Leslie Anita Vint Evelyn Ivan Lynn Robin Sophie Butler Mary ' +
  'Peter Joan Claude Betty Kurt Ida Emmy Paul Maria Carl Sofia Leonhard Noor Wei Aisha Yuki Olga ' +
  'Mateo Zainab'
const lastNames =
  'Lovelace Hopper Turing Dijkstra Liskov Knuth Hamilton Ritchie Allen Thompson Lamarr Lee Perlman ' +
  'Torvalds Jones Backus Bartik Wirth Goldberg Hoare Goldwasser Lamport Borg Cerf Boyd Sutherland ' +
  'Conway Milner Wilson Lampson Shaw Naur Clarke Shannon Holberton Goedel Rhodes Noether Erdoes ' +
  'Agnesi Gauss Kovalevskaya Euler Khan Zhang Diallo Tanaka Ivanova Garcia Abubakar'

/**
 * SQL of a table for the `from` of a query, which has a column `n`. For each `n` it has a first and
 * a last name, as `names.first` and `names.last`. They combine 50 first names and 50 last names.
 */
export const namesOfPerson = `lateral (
  select (${asArray(firstNames)})[(1 + n % 50)::int] as first,
    (${asArray(lastNames)})[(1 + n / 50 % 50)::int] as last) names`

function asArray(words: string): string {
  return `'{${words.replaceAll(' ', ',')}}'::text[]`
}
