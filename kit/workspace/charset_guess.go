package workspace

import (
	"sort"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A guess is a charset and how well data fits it: the mean points of its characters beyond ASCII.
type guess struct {
	Charset
	fit float64
}

// guesses are the charsets to try, the likeliest first. The last reads any bytes.
func guesses(data []byte) []guess {
	data = data[:min(len(data), 64<<10)]
	all := []guess{
		{Charset{Name: "GBK", enc: simplifiedchinese.GBK}, pairs(data, gbk)},
		{Charset{Name: "Shift_JIS", enc: japanese.ShiftJIS}, pairs(data, shiftJIS)},
		{Charset{Name: "EUC-JP", enc: japanese.EUCJP}, pairs(data, eucJP)},
		{Charset{Name: "EUC-KR", enc: korean.EUCKR}, pairs(data, eucKR)},
		{Charset{Name: "Big5", enc: traditionalchinese.Big5}, pairs(data, big5)},
		{Charset{Name: "KOI8-R", enc: charmap.KOI8R}, letters(data, cyrillic(0xc0, 0xe0))},
		{Charset{Name: "Windows-1251", enc: charmap.Windows1251}, letters(data, cyrillic(0xe0, 0xc0))},
		{Charset{Name: "Windows-1252", enc: charmap.Windows1252}, letters(data, latin)},
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].fit > all[j].fit })
	return append(all, guess{Charset{Name: "GB18030", enc: simplifiedchinese.GB18030}, 0}, guess{Charset{Name: "ISO-8859-1", enc: charmap.ISO8859_1}, 0})
}

// pairs returns the mean points of the characters of two bytes.
func pairs(data []byte, points func(first, second byte) float64) float64 {
	sum, n := 0.0, 0
	for i := 0; i < len(data); i++ {
		if data[i] < 0x80 {
			continue
		}
		n++
		if i+1 == len(data) {
			break
		}
		sum += points(data[i], data[i+1])
		i++
	}
	return sum / float64(max(n, 1))
}

func isWithin(b, from, to byte) bool { return from <= b && b <= to }

// The points of a pair: 2 and more for what is in most texts (common characters, kana, Hangul, punctuation), 0 for what is
// rare, below 0 for what is nearly never in a text of that encoding.

func gbk(first, second byte) float64 {
	switch {
	case second < 0xa1 || first < 0xa1 || first > 0xf7:
		return -1 // not in GB 2312
	case first <= 0xa3, isWithin(first, 0xb0, 0xd7):
		return 2
	case first >= 0xd8:
		return 0.5
	}
	return -1
}

func shiftJIS(first, second byte) float64 {
	switch {
	case first == 0x82 && second >= 0x9f, first == 0x83 && second <= 0x96:
		return 3
	case first == 0x81, first == 0x82, isWithin(first, 0x88, 0x97):
		return 2
	case isWithin(first, 0xa1, 0xdf):
		return -2 // two of half width
	case isWithin(first, 0x98, 0x9f), isWithin(first, 0xe0, 0xea):
		return 0.5
	}
	return -1
}

func eucJP(first, second byte) float64 {
	switch {
	case second < 0xa1:
		return -1
	case first == 0xa4, first == 0xa5:
		return 3
	case first == 0xa1, first == 0xa3:
		return 2
	case isWithin(first, 0xb0, 0xcf):
		return 1.5
	case isWithin(first, 0xd0, 0xf4):
		return 0
	}
	return -1
}

func eucKR(first, second byte) float64 {
	switch {
	case second >= 0xa1 && isWithin(first, 0xb0, 0xc8):
		return 2.3
	case second >= 0xa1 && (first == 0xa1 || first == 0xa3):
		return 1.5
	}
	return -1
}

func big5(first, second byte) float64 {
	switch {
	case isWithin(first, 0xa4, 0xc6), first == 0xa1:
		return 2.1
	case isWithin(first, 0xc9, 0xf9):
		return 0
	}
	return -1
}

// letters returns the mean points of the bytes beyond ASCII, by what stands before and behind each.
func letters(data []byte, points func(before, b, behind byte) float64) float64 {
	sum, n := 0.0, 0
	for i, b := range data {
		if b < 0x80 {
			continue
		}
		before, behind := byte(' '), byte(' ')
		if i > 0 {
			before = data[i-1]
		}
		if i+1 < len(data) {
			behind = data[i+1]
		}
		sum += points(before, b, behind)
		n++
	}
	return sum / float64(max(n, 1))
}

func letter(b byte) bool { return isWithin(b|0x20, 'a', 'z') }

// cyrillic gives points for Russian words, where the 32 small and the 32 capital letters begin at these bytes.
func cyrillic(small, capital byte) func(before, b, behind byte) float64 {
	return func(before, b, behind byte) float64 {
		switch {
		case letter(before), letter(behind):
			return -1
		case before < 0x80 && behind < 0x80:
			return 0.5
		case isWithin(b, small, small+31), isWithin(b, capital, capital+31) && before < 0x80:
			return 2.5
		case isWithin(b, capital, capital+31) && !isWithin(before, small, small+31):
			return 1
		}
		return -1
	}
}

// latin gives points for a few letters with accents among those of ASCII, and for the usual signs.
func latin(before, b, behind byte) float64 {
	switch {
	case b >= 0xc0 && (letter(before) || letter(behind)):
		return 2.5
	case before < 0x80 && behind < 0x80:
		return 2.2
	case before < 0x80 || behind < 0x80:
		return 0.5
	}
	return -1
}
