package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"solved/rules/tictacchec"
)

// The colours of the plots: told apart by people who do not see all colours, too.
var (
	winColour  = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	lossColour = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	drawColour = color.RGBA{0x99, 0x99, 0x99, 0xff}
)

// The size of a plot.
const (
	plotWidth  = 20 * vg.Centimeter
	plotHeight = 10 * vg.Centimeter
)

// Plot draws a plot of the report as SVG, on a white ground. The names are
// DistancesPlot, ChoicesPlot (not of a quick report) and PiecesPlot.
func (r *Report) Plot(name string, w io.Writer) error {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	for _, style := range []*draw.TextStyle{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant = "Sans"
		style.Font.Size = vg.Points(10)
	}
	p.Title.TextStyle.Font.Size = vg.Points(12)
	p.Title.Padding = vg.Points(6)
	var err error
	switch name {
	case DistancesPlot:
		err = r.plotDistances(p)
	case ChoicesPlot:
		err = r.plotChoices(p)
	case PiecesPlot:
		err = r.plotPieces(p)
	default:
		err = fmt.Errorf("report: there is no plot %q", name)
	}
	if err != nil {
		return err
	}
	c := vgsvg.New(plotWidth, plotHeight)
	ground := draw.New(c)
	ground.SetColor(color.White)
	ground.Fill(ground.Rectangle.Path())
	const margin = 10
	p.Draw(draw.Crop(ground, vg.Points(margin), -vg.Points(margin), vg.Points(margin), -vg.Points(margin)))
	var svg bytes.Buffer
	if _, err := c.WriteTo(&svg); err != nil {
		return err
	}
	// The text was measured in a font that not every reader has: others of the same
	// measures do as well.
	const font = "font-family:Liberation Sans"
	_, err = w.Write(bytes.ReplaceAll(svg.Bytes(), []byte(font), []byte(font+",Arial,Helvetica,sans-serif")))
	return err
}

// dots draws counts as dots on lines, where there are any.
func dots(p *plot.Plot, name string, colour color.Color, shape draw.GlyphDrawer, points plotter.XYs) error {
	if len(points) == 0 {
		return nil
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color = colour
	line.Width = vg.Points(0.8)
	dots.Color, dots.Shape, dots.Radius = colour, shape, vg.Points(2.2)
	p.Add(line, dots)
	p.Legend.Add(name+"  ", line, dots)
	return nil
}

// logarithmic makes the vertical axis one of powers of ten, from 1 to the least that is
// not below most.
func logarithmic(p *plot.Plot, most uint64) {
	p.Y.Scale = plot.LogScale{}
	p.Y.Min, p.Y.Max = 0.8, 10
	for p.Y.Max < float64(most) {
		p.Y.Max *= 10
	}
	p.Y.Tick.Marker = plot.TickerFunc(func(_, top float64) (ticks []plot.Tick) {
		for power := 0; math.Pow10(power) <= top; power++ {
			for k := 1; k < 10; k++ {
				t := plot.Tick{Value: float64(k) * math.Pow10(power)}
				if k == 1 {
					t.Label = grouped(uint64(t.Value))
				}
				if t.Value <= top {
					ticks = append(ticks, t)
				}
			}
		}
		return ticks
	})
}

func (r *Report) plotDistances(p *plot.Plot) error {
	p.Title.Text = "Positions by distance: " + r.Rules.Name
	p.X.Label.Text = "plies to the end"
	p.Y.Label.Text = "positions"
	type series struct {
		name   string
		counts []uint64
		odd    int
		colour color.Color
		shape  draw.GlyphDrawer
	}
	list := []series{
		{"wins, main phase", r.Main.Distances, 1, winColour, draw.CircleGlyph{}},
		{"losses, main phase", r.Main.Distances, 0, lossColour, draw.BoxGlyph{}},
		{"wins, opening", r.Opening.Distances, 1, winColour, draw.RingGlyph{}},
		{"losses, opening", r.Opening.Distances, 0, lossColour, draw.SquareGlyph{}},
	}
	most := uint64(1)
	for _, s := range list {
		var points plotter.XYs
		for d, n := range s.counts {
			if d%2 == s.odd && n > 0 {
				points = append(points, plotter.XY{X: float64(d), Y: float64(n)})
				most = max(most, n)
			}
		}
		if err := dots(p, s.name, s.colour, s.shape, points); err != nil {
			return err
		}
	}
	logarithmic(p, most)
	p.X.Min = 0
	p.X.Max = float64(max(len(r.Main.Distances), len(r.Opening.Distances)) + 1)
	return nil
}

func (r *Report) plotChoices(p *plot.Plot) error {
	if r.Choices == nil {
		return fmt.Errorf("report: a quick report has no plot %q", ChoicesPlot)
	}
	p.Title.Text = "Drawn positions by their moves: " + r.Rules.Name
	p.X.Label.Text = "moves"
	p.Y.Label.Text = "positions"
	most := uint64(1)
	for _, s := range []struct {
		name   string
		counts []uint64
		colour color.Color
		shape  draw.GlyphDrawer
	}{
		{"by legal moves", r.Choices.Drawn, drawColour, draw.CircleGlyph{}},
		{"by moves that draw", r.Choices.Drawing, winColour, draw.BoxGlyph{}},
		{"under a threat, by moves that draw", r.Choices.Threatened, lossColour, draw.TriangleGlyph{}},
	} {
		var points plotter.XYs
		for moves, n := range s.counts {
			if n > 0 {
				points = append(points, plotter.XY{X: float64(moves), Y: float64(n)})
				most = max(most, n)
			}
		}
		if err := dots(p, s.name, s.colour, s.shape, points); err != nil {
			return err
		}
	}
	logarithmic(p, most)
	p.X.Min, p.X.Max = 0, tictacchec.MaxMoves
	return nil
}

// plotPieces draws the shares of wins and losses by the number of pieces on the board.
func (r *Report) plotPieces(p *plot.Plot) error {
	p.Title.Text = "Share of wins and losses by pieces on the board: " + r.Rules.Name
	p.X.Label.Text = "pieces on the board"
	p.Y.Label.Text = "per cent of the positions"
	var all [9]Counts
	for _, s := range r.Pieces {
		n := len(s.White) + len(s.Black)
		all[n] = all[n].plus(s.Counts)
	}
	var wins, losses plotter.Values
	names := make([]string, len(all))
	for n, c := range all {
		names[n] = fmt.Sprint(n)
		wins = append(wins, percent(c.Wins, c.All()))
		losses = append(losses, percent(c.Losses, c.All()))
	}
	for i, s := range []struct {
		name   string
		shares plotter.Values
		colour color.Color
	}{{"wins", wins, winColour}, {"losses", losses, lossColour}} {
		bars, err := plotter.NewBarChart(s.shares, vg.Points(14))
		if err != nil {
			return err
		}
		bars.Color = s.colour
		bars.LineStyle.Width = 0
		bars.Offset = vg.Points(float64(16*i - 8))
		p.Add(bars)
		p.Legend.Add("  "+s.name, bars)
	}
	p.Legend.Left = true
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.6, float64(len(all))-0.4
	p.Y.Min = 0
	p.Y.Max *= 1.05
	return nil
}

func percent(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
