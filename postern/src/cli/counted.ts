/** How many of a thing there are: `1 subscription`, `2 subscriptions`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`
